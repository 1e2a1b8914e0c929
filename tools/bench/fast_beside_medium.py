"""Train `fast` from scratch, then `medium` for as much CPU time, and compare their distances of mel bands.

Both have one thread, learn the samples with the same batches and validate as often. Prints one JSON object.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).resolve().parent.parent.parent
#: Steps between validations, whose time counts as well.
_VALIDATE_EVERY = 25


class Validation(NamedTuple):
    """The distance of mel bands after so many steps, and so many seconds of CPU time."""

    step: int
    seconds: float
    mel: float


def main() -> None:
    """Train both and print the last distance of `fast`, and the least that `medium` reached in that time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--out", type=Path, help="keep the runs in this folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = args.out or Path(name)
        fast = train("fast", folder / "fast", args.steps)[-1]
        medium = train("medium", folder / "medium", 10 * args.steps, fast.seconds)
        medium = [one for one in medium if one.seconds <= fast.seconds]
    print(
        json.dumps(
            {
                "setting": f"samples/en, batch 4, fp32, one thread, {args.steps} steps of fast",
                "cpu_minutes": round(fast.seconds / 60, 1),
                "medium_steps": medium[-1].step,
                "fast_validation_mel": round(fast.mel, 3),
                "medium_validation_mel": round(min(one.mel for one in medium), 3),
                "wanted": "fast at most medium",
            }
        )
    )


def train(quality: str, out: Path, steps: int, most_seconds: float = float("inf")) -> list[Validation]:
    """All validations. Ends after so many steps or seconds."""
    words = ["train", "samples/en", "--out", str(out), "--quality", quality, "--max-steps", str(steps), "--json"]
    words += ["--batch-size", "4", "--accumulation", "1", "--threads", "1", "--workers", "0", "--device", "cpu"]
    words += ["--validate-every", str(_VALIDATE_EVERY)]
    command = [sys.executable, "-m", "voxmatrix_entrypoint", *words]
    found: list[Validation] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            metrics = json.loads(line).get("metrics", {})
            if "validation_mel" in metrics:
                found.append(Validation(metrics["step"], cpu_seconds(process.pid), metrics["validation_mel"]))
                print(f"  {quality}: {found[-1]}", file=sys.stderr, flush=True)
                if found[-1].seconds > most_seconds:
                    process.terminate()
                    break
    if found[-1].seconds <= most_seconds and process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return found


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process and of its children that have ended."""
    return float(sum(psutil.Process(pid).cpu_times()[:4]))


if __name__ == "__main__":
    main()
