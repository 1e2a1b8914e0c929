"""Settings of a training from plain values, as if they had been typed."""

from pathlib import Path
from typing import Any

from voxmatrix.machine.facts import Machine
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.overrides import override_number, override_precision, override_switch
from voxmatrix.plan.plan import Overrides
from voxmatrix.plan.preflight import Preflight
from voxmatrix.train.config import TrainSettings

#: A computer without a GPU, so that tests do not ask this one.
HERE = Machine(platform="linux", cpus=2, memory_mib=16384, available_mib=12288, shm_mib=1024)


def asked(
    device: str = "cpu", precision: str = "auto", workers: str | int = "auto", compile: str = "auto", **plain: Any
) -> Overrides:
    """What the plan is told, from words."""
    numbers = {
        name: override_number(str(plain[name]), "--" + name.replace("_", "-"), "flag")
        for name in _NUMBERS
        if name in plain
    }
    return Overrides(
        device=parse_device(device, "flag", f"--device {device}"),
        precision=override_precision(precision, "--precision", "flag"),
        workers=override_number("none" if workers == 0 else str(workers), "--workers", "flag", none=True),
        gradient_checkpointing=override_switch(plain.get("checkpointing", "auto"), "--gradient-checkpointing", "flag"),
        compile=override_switch(compile, "--compile", "flag"),
        graphs=override_switch(plain.get("graphs", "auto"), "--graphs", "flag"),
        **numbers,
    )


def preflight(machine: Machine = HERE, *, device: str = "cpu", **_: Any) -> Preflight:
    """What is found out about a computer before a training."""
    return Preflight.on(machine, asked(device).device, "train")


def settings(out: Path, **plain: Any) -> TrainSettings:
    """What is told to the plan goes there; all else stays."""
    planned = {name: plain.pop(name) for name in (*_NUMBERS, *_WORDS) if name in plain}
    return TrainSettings(out=out, overrides=asked(**planned), **plain)


_NUMBERS = ("batch_size", "accumulation", "devices")
_WORDS = ("device", "precision", "workers", "checkpointing", "compile", "graphs")
