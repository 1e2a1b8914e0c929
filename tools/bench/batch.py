"""Speak a batch of 60 texts with one worker and with two, one thread each: the real command line, interleaved.

Uses a medium voice with random weights, as speak_beside_piper.py does. A text is four sentences of the samples, about
160 characters. Prints one JSON object.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from tools.bench.speak_beside_piper import Run, make_voice, timed
from voxmatrix.text.prompts import sentence_list

TEXTS = 60
SENTENCES_A_TEXT = 4
WORKERS = (1, 2)


def main() -> None:
    """Run both alternately and print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quality", default="medium")
    parser.add_argument("--voice", type=Path, help="an ONNX voice to use instead of random weights")
    args = parser.parse_args()
    taken: dict[int, list[Run]] = {count: [] for count in WORKERS}
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        voice = args.voice or make_voice(args.quality, folder)
        write_texts(folder / "texts.txt")
        for number in range(args.rounds):
            for count in WORKERS:
                out = folder / f"{number}-{count}"
                run = timed(command(voice, folder / "texts.txt", out, count))
                written = len(list(out.glob("*.wav")))
                if written != TEXTS:
                    raise SystemExit(f"only {written} of {TEXTS} files were written")
                taken[count].append(run)
                print(f"  {count} workers: {run}", file=sys.stderr, flush=True)
    print(json.dumps(figures(taken, str(args.voice or args.quality))))


def write_texts(path: Path) -> None:
    """Write one text per line, each of consecutive sentences."""
    sentences = sentence_list("harvard")
    starts = range(0, TEXTS * SENTENCES_A_TEXT, SENTENCES_A_TEXT)
    lines = [" ".join(sentences[start : start + SENTENCES_A_TEXT]) for start in starts]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def command(voice: Path, texts: Path, out: Path, workers: int) -> list[str]:
    """The command line of voxmatrix."""
    options = ["--voice", str(voice), "--batch", str(texts), "--out", str(out), "--threads", "1"]
    return [sys.executable, "-m", "voxmatrix_entrypoint", "speak", *options, "--parallel-voices", str(workers)]


def figures(taken: dict[int, list[Run]], voice: str) -> dict[str, object]:
    """Medians, their ratio, and the ratio of each round to show the noise."""
    one, two = (taken[count] for count in WORKERS)
    seconds = {count: statistics.median(run.seconds for run in runs) for count, runs in taken.items()}
    return {
        "setting": f"{voice}, ONNX, {TEXTS} texts, one thread per worker, {len(os.sched_getaffinity(0))} cores",
        "one_worker_seconds": round(seconds[1], 3),
        "two_workers_seconds": round(seconds[2], 3),
        "times_as_fast": round(seconds[1] / seconds[2], 3),
        "each_round": [round(a.seconds / b.seconds, 3) for a, b in zip(one, two, strict=True)],
        "one_worker_peak_mib": round(max(run.peak_mib for run in one)),
        "two_workers_peak_mib": round(max(run.peak_mib for run in two)),
        "wanted": "at least 1.6 times as fast",
    }


if __name__ == "__main__":
    main()
