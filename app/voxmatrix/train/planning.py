"""The plan of a training: requested settings, or else those of the resumed run, or else chosen for the computer."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.machine.profile_store import profile_of
from voxmatrix.plan.plan import Overrides, Plan, plan_on
from voxmatrix.plan.preflight import Preflight
from voxmatrix.settings import Setting
from voxmatrix.train.config import TrainSettings


def plan_training(
    prepared: PreparedSet, settings: TrainSettings, preflight: Preflight, previous: Mapping[str, Any] | None
) -> Plan:
    """The plan for these recordings on this computer. A resumed run keeps its batch size on any computer.

    Raises:
        MemoryExhaustedError: this computer cannot have enough memory.
    """
    longest = max(clip.samples for clip in prepared.clips) / prepared.rate_hz
    overrides = settings.overrides if previous is None else _keep_batches(settings.overrides, previous, settings.out)
    plan = plan_on(
        preflight.selected, preflight.machine, prepared.quality, overrides, longest_seconds=longest, profile=profile_of
    )
    for finding in plan.findings:
        if finding.severity == "error":
            raise MemoryExhaustedError(finding.problem, finding.remedy)
    return plan


def _keep_batches(overrides: Overrides, previous: Mapping[str, Any], out: Path) -> Overrides:
    def kept(name: str) -> Setting[int]:
        return Setting(value=int(previous[name]), reason=f"as in the resumed run in {out}", source="run")

    return replace(
        overrides,
        batch_size=overrides.batch_size or kept("batch_size"),
        accumulation=overrides.accumulation or kept("accumulation"),
    )
