"""How a training will run besides its plan, before there is a run. Like `train.duration`, without torch."""

import math
from typing import Any

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.profiles.profile import Measurement
from voxmatrix.machine.profiles.store import profile_of
from voxmatrix.plan.plan import Plan
from voxmatrix.tables.quality import quality
from voxmatrix.tables.speed import cpu_speed
from voxmatrix.wording import count


def expected_training(machine: Machine, plan: Plan, name: str, clips: int, seconds: float) -> dict[str, Any]:
    """Its learning rate, and the steps and seconds of an epoch; null if nothing was measured on such a device.

    Args:
        name: of the quality.
        clips: recordings that are used.
        seconds: of speech in all of them.
    """
    took, source = _epoch_seconds(machine, plan, name, clips, seconds)
    return {
        "learning_rate": quality(name).learning_rate,
        "steps_per_epoch": math.ceil(clips / plan.effective_batch.value),
        "seconds_per_epoch": took,
        "source": source,
    }


def _epoch_seconds(machine: Machine, plan: Plan, name: str, clips: int, seconds: float) -> tuple[float | None, str]:
    """The duration of an epoch, and how it is known."""
    gpu = next((gpu for gpu in machine.gpus if plan.device.value == f"{gpu.kind}:{gpu.index}"), None)
    measured, row = _measurement(machine, gpu, plan, name), cpu_speed(name)
    if measured is not None:
        nearest = min(measured.sizes, key=lambda size: abs(size.batch_size - plan.batch_size.value))
        speech_per_second = nearest.clips_per_second * measured.seconds * plan.devices.value
        return seconds / speech_per_second, f"measured on {measured.date}"
    if plan.device.value != "cpu" or row is None:
        return None, ""
    work = clips * row.clip_seconds + seconds * row.second_seconds
    return work / machine.cpus, f"estimated for {count(machine.cpus, 'CPU')}"


def _measurement(machine: Machine, gpu: Gpu | None, plan: Plan, name: str) -> Measurement | None:
    """The latest measurement of such a training on such a device."""
    profile = profile_of(gpu, machine).one
    kind = (name, plan.precision.value, plan.gradient_checkpointing.value)
    found = [
        one
        for one in (profile.measurements if profile else ())
        if one.sizes and (one.quality, one.precision, one.gradient_checkpointing) == kind
    ]
    return max(found, key=lambda one: one.date, default=None)
