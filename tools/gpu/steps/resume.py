"""Three trainings at once: A and B undisturbed, C killed and resumed. How far are their weights apart?"""

import math
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import torch

from tools.gpu.check import Check
from tools.gpu.programs import kill, run, start
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

_SECONDS = 75.0


def measure(check: Check) -> dict[str, Any]:
    """Train, kill, resume and compare."""
    for name in "ABC":
        shutil.rmtree(check.work / f"run-{name}", ignore_errors=True)
    running = {name: start(_command(check, name), stdout=subprocess.DEVNULL) for name in "ABC"}
    began = time.monotonic()
    killed_after = _kill_in_the_middle(check, running["C"], began)
    errors = {}
    for name, process in running.items():
        try:
            errors[name] = process.communicate(timeout=max(1.0, _SECONDS - (time.monotonic() - began)))[1][-500:]
        except subprocess.TimeoutExpired:
            kill(process)
            errors[name] = "too slow: killed"
    resumed = run(_command(check, "C"), 40)
    weights = {name: _weights(check.work / f"run-{name}" / "last.ckpt") for name in "ABC"}
    found: dict[str, Any] = {
        "killed_after": killed_after,
        "exits": {name: process.returncode for name, process in running.items()},
        "resumed": resumed.about(),
    }
    for one, other in ("AB", "AC"):
        found[f"relative_difference_{one}{other}"] = _difference(weights[one], weights[other])
    return found if all(weights.values()) else {**found, "errors": errors}


def _command(check: Check, name: str) -> list[str]:
    steps, batch = (4, 1) if check.cpu else (24, 16)
    limits = ["--max-steps", str(steps), "--checkpoint-every", str(steps // 4), "--validate-every", "1000"]
    small = ["--quality", "tiny", "--batch-size", str(batch), "--accumulation", "1"]
    return [*check.command(f"run-{name}"), *limits, *small]


def _kill_in_the_middle(check: Check, process: "subprocess.Popen[str]", began: float) -> str | None:
    while process.poll() is None and time.monotonic() - began < _SECONDS:
        saved = sorted((check.work / "run-C").glob("step-*.ckpt"))
        if len(saved) > 1:
            kill(process)
            return saved[-1].name
        time.sleep(0.05)
    return None


def _weights(path: Path) -> dict[str, torch.Tensor]:
    return dict(read_checkpoint(path).generator) if path.is_file() else {}


def _difference(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float | None:
    """Of all weights together; 0.0: they are equal, bit by bit."""
    if not one or not other:
        return None
    squares = [((one[name].double() - other[name].double()).square().sum(), one[name].double()) for name in one]
    return math.sqrt(float(sum(far for far, _ in squares)) / float(sum(value.square().sum() for _, value in squares)))
