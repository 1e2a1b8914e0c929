"""Measure the start time of commands in a container, compared with Python in it, for every built image.

Interleaved. "python" is `docker run IMAGE python3 -c pass`, which goes through the entrypoint like any other program;
"bare" bypasses the entrypoint. `doctor` uses a machine description. "refused" is a training on a GPU that the image has
no kernels for, which must end with exit code 5 before any work begins. Prints one JSON object.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools import matrix
from tools.images import example_gpus
from tools.images.engine import is_built

MAX_SECONDS_BEYOND = 0.6
MAX_SECONDS_REFUSED = 5.0
NO_KERNELS = 5
RESTRICTED = ("--read-only", "--tmpfs", "/tmp", "--network", "none", "--cap-drop", "ALL")


def main() -> None:
    """Measure every built image."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    rows = [row for row in matrix.rows().values() if row.status == "tested" and is_built(row.image)]
    found = {row.name: _measure(row, rounds) for row in rows}
    setting = f"{rounds} rounds; load average over one minute: {os.getloadavg()[0]:.1f}"
    print(json.dumps({"setting": setting, **found}))


def _measure(row: matrix.Row, rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o777)
        _describe(row, folder)
        assessment = NO_KERNELS if row.cuda else 0  # the image for the CPU needs no GPU
        refused = (*RESTRICTED, "--env", "VOXMATRIX_MACHINE=/data/machine.json")
        commands = {
            "bare": ((*RESTRICTED, "--entrypoint", "python3"), ("-c", "pass"), 0),
            "python": (RESTRICTED, ("python3", "-c", "pass"), 0),
            "doctor": (RESTRICTED, ("doctor", "--machine", "/data/machine.json"), assessment),
            "refused": (refused, ("train", "/data", "--out", "/data/run", "--device", "cuda:0"), NO_KERNELS),
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, (flags, arguments, code) in commands.items():
                seconds = _timed(row.image, folder, flags, arguments, code)
                if number:  # the first round fills the file cache
                    taken[name].append(seconds)
    return _figures(taken)


def _figures(taken: dict[str, list[float]]) -> dict[str, Any]:
    return {
        **{f"{name}_seconds": round(statistics.median(times), 3) for name, times in taken.items()},
        "doctor_beyond_python_seconds": _beyond(taken["doctor"], taken["python"]),
        "doctor_beyond_bare_python_seconds": _beyond(taken["doctor"], taken["bare"]),
        "wanted": f"doctor at most {MAX_SECONDS_BEYOND} s beyond, refused within {MAX_SECONDS_REFUSED:g} s",
    }


def _beyond(times: Sequence[float], others: Sequence[float]) -> float:
    """The median over all rounds of the difference between the two times."""
    return round(statistics.median(one - other for one, other in zip(times, others, strict=True)), 3)


def _describe(row: matrix.Row, folder: Path) -> None:
    """Write machine.json: this image on a computer with a GPU that it has no kernels for."""
    _timed(row.image, folder, RESTRICTED, ("doctor", "--no-smoke", "--device", "cpu", "--record", "/data/this.json"), 0)
    recorded = json.loads((folder / "this.json").read_text(encoding="utf-8"))
    described = example_gpus.with_gpu(recorded, example_gpus.unusable(row)[0])
    (folder / "machine.json").write_text(json.dumps(described), encoding="utf-8")


def _timed(image: str, folder: Path, flags: Sequence[str], arguments: Sequence[str], code: int) -> float:
    """Run a container, which must end with exit code `code`, and return the seconds."""
    started = time.perf_counter()
    done = _run(image, folder, flags, arguments)
    seconds = time.perf_counter() - started
    if done.returncode != code:
        raise SystemExit(f"{image} {' '.join(arguments)} ended with {done.returncode}, not {code}:\n{done.stderr}")
    return seconds


def _run(
    image: str, folder: Path, flags: Sequence[str], arguments: Sequence[str]
) -> "subprocess.CompletedProcess[str]":
    mounted = ("--user", f"{os.getuid() or 12345}:0", "--volume", f"{folder}:/data")
    command = ["docker", "run", "--rm", *mounted, *flags, image, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
