"""How a training will run besides its plan, before there is a run."""

import math
from typing import Any

from voxmatrix.machine.facts import Machine
from voxmatrix.machine.profile_store import profile_of
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
    profile, checkpointing = profile_of(gpu, machine).one, plan.gradient_checkpointing.value
    measured = profile and profile.latest(name, plan.precision.value, gradient_checkpointing=checkpointing)
    if measured:
        speech_per_second = measured.speech_per_second(plan.batch_size.value) * plan.devices.value
        return seconds / speech_per_second, f"measured on {measured.date}"
    row = cpu_speed(name)
    if plan.device.value != "cpu" or row is None:
        return None, ""
    return row.seconds(clips, seconds, machine.cpus), f"estimated for {count(machine.cpus, 'CPU')}"
