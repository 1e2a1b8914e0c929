"""Piper's trainer on the same recordings: its default (fp32 with TF32, one loading worker), and at its best."""

import sys
from typing import Any

from tools.gpu.check import ROOT, Check
from tools.gpu.measuring import Utilisation
from tools.gpu.programs import run

_RUNS = {"default": ("32-true", 1), "best": ("bf16-mixed", 4)}


def measure(check: Check) -> dict[str, Any]:
    """Its speed, clips and memory."""
    found: dict[str, Any] = {"prepare": run([*_command(check, 1, "32-true"), "--prepare"], 100, cwd=ROOT).about()}
    for name, (precision, workers) in _RUNS.items():
        command = _command(check, workers, precision)
        with Utilisation() as utilisation:
            done = run(command, 75, cwd=ROOT)
        figures = done.json or {}
        if figures:
            steps = figures["steps"] / figures["seconds"]
            figures |= {"steps_per_second": round(steps, 2), "clips_per_second": round(check.batch * steps, 1)}
        found[name] = {"precision": precision, **done.about(), **figures, **utilisation.figures()}
    return found


def _command(check: Check, workers: int, precision: str) -> list[str]:
    command = [sys.executable, "tools/bench/piper_trainer.py", str(check.data), "--phonemes", "text"]
    command += ["--batch-size", str(check.batch), "--workers", str(workers), "--precision", precision]
    command += ["--cache", str(check.work / "piper-cache")]
    if check.cpu:
        return [*command, "--warmup", "1", "--steps", "1"]
    return [*command, "--accelerator", "gpu", "--warmup", "4", "--steps", "16", "--repeat", "20"]
