"""`voxmatrix plan`: every automatic setting with its reason, for this computer or the one that a file describes."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import ParameterSources, read_overrides
from voxmatrix.cli.terminal.messages import print_json, shown, warn
from voxmatrix.errors import UsageError

if TYPE_CHECKING:
    from voxmatrix.machine.facts import Machine
    from voxmatrix.machine.saved_device import SavedDevice
    from voxmatrix.plan.device_selection import Task
    from voxmatrix.plan.plan import Overrides, Plan

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
    voice: Annotated[str, options.option("--voice", "NAME", "Plan to speak with this voice.", parser=options.voice)] = (
        ""
    )
    parallel_voices: options.ParallelVoices = "auto"


@expand
def command(context: typer.Context, given: ShownPlanOptions, as_json: options.AsJson = False) -> None:
    """Show every automatic setting and its reason, without running anything."""
    named = ParameterSources(context).of("voice")[1] == "flag"  # elsewhere it is that of other commands
    task, overrides, machine = _task("speak" if named else given.task), read_overrides(context), given.machine
    from voxmatrix.machine.profile_store import profile_of
    from voxmatrix.plan.plan import make_plan, plan_to_json, print_plan

    if machine is None:
        from voxmatrix.machine.detect import detect
        from voxmatrix.machine.saved_device import saved_device

        (here, notes), saved = detect(), saved_device()
        for note in notes:
            warn(note)
    else:
        from voxmatrix.machine.record import read_machine

        # The saved device belongs to this computer; a profile holds for a kind of device in any computer.
        here, saved = read_machine(machine), None
    plan = make_plan(here, given.quality, overrides, task=task, saved_device=saved, profile=profile_of)
    if given.voice and task == "speak":
        plan = _with_voice(plan, given.voice, overrides, here, saved)
    if as_json:
        print_json(plan_to_json(plan))
    else:
        print_plan(plan, shown)


def _with_voice(
    plan: "Plan", name: str, overrides: "Overrides", machine: "Machine", saved: "SavedDevice | None"
) -> "Plan":
    from voxmatrix.cli.parameters.workers import workers_on
    from voxmatrix.machine.saved_device import CPU
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.settings import automatic
    from voxmatrix.voices.device_selection import select_devices
    from voxmatrix.voices.resolve import resolve

    voice, request = resolve(name), overrides.device
    found = select_devices(voice, request, Preflight.on(machine, request, "speak", saved_device=saved))
    findings = tuple(dict.fromkeys((*plan.findings, *found.findings)))
    best = found.best
    only_cpu = automatic(CPU, f"the voice {voice.id} is computed on the CPU only")
    return replace(
        plan,
        device=plan.device if voice.capabilities.on_gpu else only_cpu,
        voice=voice.arithmetic_on(best),
        parallel_voices=workers_on(best, machine, voice.on(best), overrides.parallel_voices),
        findings=findings,
    )


def _task(text: str) -> "Task":
    from voxmatrix.plan.device_selection import Task

    for task in get_args(Task):
        if text == task:
            return task  # type: ignore[no-any-return]
    raise UsageError(f"--task is {text!r}", f"set it to {' or '.join(get_args(Task))}")
