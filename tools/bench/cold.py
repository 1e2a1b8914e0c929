"""Compare a cold start with Piper's command line: CPU time of one sentence and of 60, and of `--version`. Interleaved.

The voice is the included one, in the same file for both, prepared before. CPU seconds are those of the program and its
children: they depend little on what else the computer does. Prints one JSON object.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from tools.bench.speak_beside_piper import ROOT, Run, ours, piper, timed, write_sentences

VOICE = ROOT / "samples" / "voices" / "en_US-heart-student.onnx"
MANY = 60
_FIELDS = ("seconds", "cpu_seconds", "peak_mib")


def main() -> None:
    """Run all commands alternately and print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--many-rounds", type=int, default=3, help=f"rounds with {MANY} sentences")
    parser.add_argument("--voice", type=Path, default=VOICE)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        os.environ["VOXMATRIX_HOME"] = str(folder / "home")
        one, many = (write_sentences(count, folder) for count in (1, MANY))
        version = {"version": [sys.executable, "-m", "voxmatrix_entrypoint", "--version"]}
        first = medians(commands(args.voice, one, folder) | version, args.rounds)
        batch = medians(commands(args.voice, many, folder), args.many_rounds)
    print(
        json.dumps(
            {
                "setting": f"{args.voice.stem}, {len(os.sched_getaffinity(0))} CPUs",
                "version_cpu_seconds": round(first["version"].cpu_seconds, 3),
                **compared("one_sentence", first),
                **compared(f"{MANY}_sentences", batch),
                "wanted": f"version at most 0.12 s, CPU ratios at most 1.0 and, of {MANY} sentences, 0.6",
            }
        )
    )


def commands(voice: Path, text: Path, folder: Path) -> dict[str, list[str]]:
    """The command lines of both for the same text."""
    return {"ours": ours(voice, text, folder / "ours.wav"), "piper": piper(voice, text, folder / "piper.wav")}


def medians(commands: dict[str, list[str]], rounds: int) -> dict[str, Run]:
    """The medians of each command over the rounds, after one that fills the file cache and prepares the voice."""
    taken: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            run = timed(command)
            print(f"  {name}: {run}", file=sys.stderr, flush=True)
            if number:
                taken[name].append(run)
    return {
        name: Run(**{field: statistics.median(getattr(run, field) for run in runs) for field in _FIELDS})
        for name, runs in taken.items()
    }


def compared(what: str, found: dict[str, Run]) -> dict[str, float]:
    """The figures of both, and their ratios."""
    mine, theirs = found["ours"], found["piper"]
    return {
        f"{what}_ours_cpu_seconds": round(mine.cpu_seconds, 3),
        f"{what}_piper_cpu_seconds": round(theirs.cpu_seconds, 3),
        f"{what}_cpu_ratio": round(mine.cpu_seconds / theirs.cpu_seconds, 3),
        f"{what}_seconds_ratio": round(mine.seconds / theirs.seconds, 3),
        f"{what}_ours_peak_mib": round(mine.peak_mib),
        f"{what}_piper_peak_mib": round(theirs.peak_mib),
    }


if __name__ == "__main__":
    main()
