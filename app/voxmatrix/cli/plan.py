"""`voxmatrix plan`: every automatic setting with its reason, for this computer or the one that a file describes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import read_overrides
from voxmatrix.cli.terminal.messages import print_json, warn, with_flags
from voxmatrix.errors import UsageError

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import Task

_MachineFile = Annotated[
    Path | None,
    typer.Option("--machine", metavar="FILE", help="Plan for the computer described in FILE instead of this one."),
]


@dataclass(frozen=True, kw_only=True)
class ShownPlanOptions(options.PlanOptions):
    """The options of this command."""

    quality: options.QualityName = "medium"
    machine: _MachineFile = None
    task: Annotated[str, options.option("--task", "NAME", "Task to plan: train or speak.")] = "train"
    parallel_voices: options.ParallelVoices = "auto"


@expand
def command(context: typer.Context, given: ShownPlanOptions, as_json: options.AsJson = False) -> None:
    """Show every automatic setting and its reason, without running anything."""
    task, overrides, machine = _task(given.task), read_overrides(context), given.machine
    from voxmatrix.machine.profile_store import profile_of
    from voxmatrix.plan.plan import make_plan, plan_to_json, print_plan

    if machine is None:
        from voxmatrix.machine.detect import detect
        from voxmatrix.machine.saved_device import saved_device

        here, notes = detect()
        for note in notes:
            warn(note)
        plan = make_plan(here, given.quality, overrides, task=task, saved_device=saved_device(), profile=profile_of)
    else:
        from voxmatrix.machine.record import read_machine

        # The saved device belongs to this computer; a profile holds for a kind of device in any computer.
        plan = make_plan(read_machine(machine), given.quality, overrides, task=task, profile=profile_of)
    if as_json:
        print_json(plan_to_json(plan), ensure_ascii=False)
    else:
        print_plan(plan, with_flags)


def _task(text: str) -> "Task":
    from voxmatrix.plan.device_selection import Task

    for task in get_args(Task):
        if text == task:
            return task  # type: ignore[no-any-return]
    raise UsageError(f"--task is {text!r}", f"set it to {' or '.join(get_args(Task))}")
