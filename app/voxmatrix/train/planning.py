"""The plan of a training: what was asked for, what the run was begun with, else what suits the computer."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.profiles.store import profile_of
from voxmatrix.machine.saved_device import saved_device
from voxmatrix.plan.plan import Overrides, Plan, make_plan
from voxmatrix.settings import Setting
from voxmatrix.train.config import TrainSettings


def plan_training(
    prepared: PreparedSet, settings: TrainSettings, machine: Machine, previous: Mapping[str, Any] | None
) -> Plan:
    """The plan for these recordings on this computer. A run that goes on keeps its batches, on whatever computer.

    Raises:
        NoDeviceError: a device was demanded that is not there or cannot train.
        NoKernelsError: a GPU was demanded for which this torch has no kernels.
    """
    longest = max(clip.samples for clip in prepared.clips) / prepared.rate_hz
    asked = settings.asked if previous is None else _as_begun(settings.asked, previous, settings.out)
    return make_plan(
        machine, prepared.quality, asked, saved_device=saved_device(), longest_seconds=longest, profile=profile_of
    )


def _as_begun(asked: Overrides, previous: Mapping[str, Any], out: Path) -> Overrides:
    def begun(name: str) -> Setting[int]:
        return Setting(value=int(previous[name]), reason=f"as the run in {out} was begun", source="run")

    return replace(
        asked,
        batch_size=asked.batch_size or begun("batch_size"),
        accumulation=asked.accumulation or begun("accumulation"),
    )
