"""The whole workflow on this repository's samples: recordings → dataset → short training → speech → mp3 and ONNX.

Run by `./run demo`. Each step prints the command before running it.
"""

import csv
import shlex
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SENTENCE = "The birch canoe slid on the smooth planks. It took about five minutes to learn this voice."


def main(out: Path, steps: int) -> None:
    """Run all steps, write everything below `out`, and list the files at the end."""
    samples, run = HERE / "samples" / "en", out / "run"
    common = ["--quality", "tiny", "--language", "en-us", "--phonemes", "auto"]
    started = time.monotonic()
    _voxmatrix("prepare", samples, *common, "--report", out / "report.html")
    _voxmatrix("train", samples, "--out", run, *common, "--max-steps", steps, "--batch-size", 8, "--accumulation", 1)
    _print_loss(run / "metrics.csv")
    _voxmatrix("export", "voice", run, "--out", out / "voice.onnx", "--force")
    _voxmatrix("speak", "--voice", out / "voice.onnx", "--text", SENTENCE, "--out", out / "speech.wav", "--force")
    _voxmatrix("export", "audio", out / "speech.wav", "--out", out / "speech.mp3", "--force")
    print(f"\nDone in {(time.monotonic() - started) / 60:.1f} minutes. Your files:")
    for path, what in (
        (out / "report.html", "the report on the recordings"),
        (run, "the training run: checkpoints, metrics.csv, TensorBoard, spoken samples"),
        (out / "voice.onnx", "the voice (with voice.onnx.json; also speaks in piper-tts)"),
        (out / "speech.wav", "speech"),
        (out / "speech.mp3", "the same as mp3"),
    ):
        if not path.exists():
            raise SystemExit(f"the demo did not produce {path}")
        print(f"  {path}  {what}")
    print(
        f"\nA voice of {steps} steps has a rhythm, and hardly a word of it can be understood: that is as expected."
        '\nHear one that is finished: voxmatrix speak --text "Hello" --play; make your own: docs/training.md.'
    )


def _voxmatrix(*args: object) -> None:
    typed = [str(word) for word in args]
    print(f"\n$ voxmatrix {shlex.join(typed)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "voxmatrix_entrypoint", *typed], cwd=HERE, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


def _print_loss(metrics: Path) -> None:
    with metrics.open(encoding="utf-8", newline="") as file:
        validated = [row for row in csv.DictReader(file) if row.get("validation_mel")]
    first, last = validated[0], validated[-1]
    share = float(last["validation_mel"]) / float(first["validation_mel"])
    print(
        f"validation mel loss: {float(first['validation_mel']):.2f} at step {first['step']}"
        f" → {float(last['validation_mel']):.2f} at step {last['step']} ({share:.0%})"
    )


if __name__ == "__main__":
    main(
        out=Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "demo",
        steps=int(sys.argv[2]) if len(sys.argv) > 2 else 300,
    )
