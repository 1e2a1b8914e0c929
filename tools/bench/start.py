"""Measure the start time of `devices`, `plan` and `doctor`, compared with Python itself. Prints one JSON object.

Interleaved. None of them may import torch: the slowest may take at most half a second longer than `python -c pass`.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MACHINE = "tests/machines/rtx-5090.json"
COMMANDS = {
    "python": ["-c", "pass"],
    "devices": ["-m", "voxmatrix_entrypoint", "devices"],
    "plan": ["-m", "voxmatrix_entrypoint", "plan"],
    "devices_of_a_file": ["-m", "voxmatrix_entrypoint", "devices", "--machine", MACHINE],
    "plan_of_a_file": ["-m", "voxmatrix_entrypoint", "plan", "--machine", MACHINE],
    "doctor_of_a_file": ["-m", "voxmatrix_entrypoint", "doctor", "--machine", MACHINE],
}
MAX_SECONDS_BEYOND = 0.5


def main() -> None:
    """Run all commands alternately and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(args.rounds + 1):
        for name, arguments in COMMANDS.items():
            seconds = timed(arguments)
            if number:  # the first round fills the file cache
                taken[name].append(seconds)
    medians = {name: statistics.median(times) for name, times in taken.items()}
    slowest = max(medians.values()) - medians["python"]
    print(
        json.dumps(
            {
                **{f"{name}_seconds": round(seconds, 3) for name, seconds in medians.items()},
                "slowest_beyond_python_seconds": round(slowest, 3),
                "slowest_to_limit": round(slowest / MAX_SECONDS_BEYOND, 2),
                "wanted": f"at most {MAX_SECONDS_BEYOND} s beyond Python",
            }
        )
    )


def timed(arguments: list[str]) -> float:
    """Run Python with `arguments` and return the seconds."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
