"""Compare speaking with Piper's command line: same ONNX, same text, same number of threads, interleaved A B A B.

Uses a medium voice with random weights, since only their number matters, and durations set to those of a typical voice.
Measures one sentence from a cold start, then 200 sentences: wall time, and the peak memory of the process tree,
espeak-ng included. Prints one JSON object.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tools.bench.peak import Peak

ROOT = Path(__file__).resolve().parent.parent.parent
LONG = 200
#: A typical duration of a symbol: exp(1.1) is 3 frames.
LOG_FRAMES = 1.1


@dataclass(frozen=True, kw_only=True)
class Run:
    """Time and memory of one run. CPU seconds include spinning threads, and depend little on other load."""

    seconds: float
    cpu_seconds: float
    peak_mib: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s, {self.cpu_seconds:.2f} s of CPU, {self.peak_mib:.0f} MiB"


def main() -> None:
    """Run both alternately and print the medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds with one sentence")
    parser.add_argument("--long-rounds", type=int, default=3, help=f"rounds with {LONG} sentences")
    parser.add_argument("--quality", default="medium")
    parser.add_argument("--voice", type=Path, help="an ONNX voice to use instead of random weights")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        voice = args.voice or make_voice(args.quality, folder)
        warm = write_sentences(1, folder)
        for command in (ours(voice, warm, folder / "ours.wav"), piper(voice, warm, folder / "piper.wav")):
            timed(command)  # warm-up: fills the file cache and writes bytecode
        one = compare(voice, warm, args.rounds, folder)
        many = compare(voice, write_sentences(LONG, folder), args.long_rounds, folder)
    print(
        json.dumps(
            {
                "setting": f"{args.voice or args.quality}, ONNX, {len(os.sched_getaffinity(0))} threads each",
                **{f"one_sentence_{name}": value for name, value in one.items()},
                "one_sentence_wanted": "seconds ratio at most 1.0",
                **{f"{LONG}_sentences_{name}": value for name, value in many.items()},
                f"{LONG}_sentences_wanted": "seconds ratio at most 0.8, peak at most Piper's",
            }
        )
    )


def make_voice(quality: str, folder: Path) -> Path:
    """Export a voice with random weights and typical durations."""
    import torch

    from voxmatrix.piper.config import VoiceConfig
    from voxmatrix.piper.export.export import export_voice
    from voxmatrix.tables.quality import quality as row_of
    from voxmatrix.text.symbols import NUM_SYMBOLS, default_map
    from voxmatrix.vits.checkpoint.checkpoint import EXTRA, piper_hyper_parameters, piper_state
    from voxmatrix.vits.synthesizer import Synthesizer

    torch.manual_seed(1)
    row = row_of(quality)
    generator = Synthesizer(row, NUM_SYMBOLS, 1)
    with torch.no_grad():
        affine = generator.get_submodule("dp.flows.0")
        affine.get_parameter("m")[0] = -LOG_FRAMES
        affine.get_parameter("logs")[0] = 1.2
    config = VoiceConfig(
        rate_hz=row.rate_hz,
        quality=quality,
        espeak_voice="en-us",
        num_symbols=NUM_SYMBOLS,
        id_map=default_map("espeak"),
        dataset="random weights",
    )
    content = {
        "state_dict": piper_state(generator),
        "hyper_parameters": piper_hyper_parameters(row, NUM_SYMBOLS, 1, batch_size=1),
        EXTRA: {"card": config.to_json()},
    }
    torch.save(content, folder / "voice.ckpt")
    return export_voice(folder / "voice.ckpt", folder / "voice.onnx").onnx


def write_sentences(count: int, folder: Path) -> Path:
    """Write `count` lines, each joining one to three sentences of the samples: 40 to 150 characters."""
    with (ROOT / "samples" / "en" / "metadata.csv").open(encoding="utf-8", newline="") as file:
        texts = [row[1].rstrip(".") for row in csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE) if row]
    lines = []
    for number in range(count):
        parts = [texts[(number * 7 + place * 31) % len(texts)] for place in range(1 + (number + 1) % 3)]
        first, *others = parts
        lines.append(", and ".join([first, *(text[0].lower() + text[1:] for text in others)]) + ".")
    path = folder / f"{count}.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def compare(voice: Path, text: Path, rounds: int, folder: Path) -> dict[str, float | list[float]]:
    """Medians of both and their ratios, and the ratio of each round to show the noise."""
    commands = {"ours": ours(voice, text, folder / "ours.wav"), "piper": piper(voice, text, folder / "piper.wav")}
    taken: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            run = timed(command)
            taken[name].append(run)
            print(f"  {text.stem} {name}: {run}", file=sys.stderr, flush=True)
    seconds, cpu = (
        {name: statistics.median(getattr(run, what) for run in runs) for name, runs in taken.items()}
        for what in ("seconds", "cpu_seconds")
    )
    each = [round(a.seconds / b.seconds, 3) for a, b in zip(taken["ours"], taken["piper"], strict=True)]
    mib = {name: max(run.peak_mib for run in runs) for name, runs in taken.items()}
    return {
        "ours_seconds": round(seconds["ours"], 3),
        "piper_seconds": round(seconds["piper"], 3),
        "seconds_ratio": round(seconds["ours"] / seconds["piper"], 3),
        "median_of_round_ratios": round(statistics.median(each), 3),
        "ratio_of_each_round": each,
        "cpu_seconds_ratio": round(cpu["ours"] / cpu["piper"], 3),
        "ours_peak_mib": round(mib["ours"]),
        "piper_peak_mib": round(mib["piper"]),
    }


def ours(voice: Path, text: Path, out: Path) -> list[str]:
    """The command line of voxmatrix."""
    options = ["--voice", str(voice), "--file", str(text), "--out", str(out), "--sentence-pause", "0", "--force"]
    return [sys.executable, "-m", "voxmatrix_entrypoint", "speak", *options]


def piper(voice: Path, text: Path, out: Path) -> list[str]:
    """The command line of Piper."""
    return [sys.executable, "-m", "piper", "-m", str(voice), "-i", str(text), "-f", str(out)]


def timed(command: list[str]) -> Run:
    """Run a command, and measure the time and memory of it and its children."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        peak = Peak(process.pid)
        peak.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        peak.stop()
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Run(seconds=seconds, cpu_seconds=usage.ru_utime + usage.ru_stime, peak_mib=peak.mib)


if __name__ == "__main__":
    main()
