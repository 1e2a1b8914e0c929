"""Compare the time of a training step of `tiny` with `medium`: same files, interleaved. Prints one JSON object."""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> None:
    """Run both alternately and print the median step times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    steps: dict[str, list[float]] = {"medium": [], "tiny": []}
    for _ in range(args.rounds):
        for quality, taken in steps.items():
            taken.append(_seconds_a_step(quality))
    medium, tiny = (statistics.median(steps[quality]) for quality in ("medium", "tiny"))
    print(
        json.dumps(
            {
                "setting": "batch 8, fp32, CPU, 2 threads",
                "tiny_seconds_a_step": round(tiny, 3),
                "medium_seconds_a_step": round(medium, 3),
                "ratio": round(tiny / medium, 4),
                "wanted": "at most 0.125",
            }
        )
    )


def _seconds_a_step(quality: str) -> float:
    command = [sys.executable, "tools/bench/our_trainer.py", "samples/en", "--quality", quality]
    command += ["--batch-size", "8", "--steps", "4"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    print(f"  {quality}: {result}", file=sys.stderr, flush=True)
    return float(result["seconds"]) / float(result["steps"])


if __name__ == "__main__":
    main()
