"""`voxmatrix devices` and `devices select`: the devices of this computer, and the one to use."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.command import CommandGroup
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.errors import Finding, NoDeviceError, UnreachableError, UsageError

if TYPE_CHECKING:
    from voxmatrix.machine.facts import Gpu, Machine
    from voxmatrix.machine.saved_device import SavedDevice

group = CommandGroup(help="List the devices of this computer, or select the one to use.")

MachineFile = Annotated[
    Path | None,
    typer.Option("--machine", metavar="FILE", help="Use the computer described in FILE instead of this one."),
]


@group.callback(invoke_without_command=True)
def command(context: typer.Context, machine: MachineFile = None, as_json: options.AsJson = False) -> None:
    """List the devices: name, architecture, compute capability, memory and driver."""
    if context.invoked_subcommand is not None:
        context.obj = machine
        return
    from voxmatrix.cli.terminal.devices_table import as_rows, print_parallel_voices, print_table

    computer, notes = _computer(machine)
    if as_json:
        findings = [{"severity": n.severity, "problem": n.problem, "remedy": n.remedy} for n in notes]
        print_json({"devices": as_rows(computer), "findings": findings})
        return
    print_table(computer)
    print_parallel_voices(computer)
    _warn(notes)


@group.command("select")
def select(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="DEVICE", help="Number or name of a device, e.g. 1, cuda:1 or cpu.")
    ] = "",
    reconfigure: Annotated[bool, typer.Option("--reconfigure", help="Ignore the saved selection.")] = False,
    machine: MachineFile = None,
    as_json: options.AsJson = False,
) -> None:
    """Select the device to use and save it. Without DEVICE: ask, or take the best one where there is no terminal.

    With --machine, nothing is saved.
    """
    from voxmatrix.machine import saved_device as saved

    described = machine or context.obj
    computer, notes = _computer(described)
    _warn(notes)
    before = None if name or reconfigure or described else saved.saved_device()
    if before is not None and saved.is_here(computer, before):
        gpu, reason = saved.find_saved_device(computer, before), "selected earlier (--reconfigure selects again)"
    else:
        if before is not None:
            echo(f"{before.device} was selected earlier and is no longer available", err=True)
        gpu, reason = _decide(computer, name, may_ask=not as_json)
        if described:
            reason += f"; not saved, because {described} describes another computer"
        else:
            reason += f"; saved in {saved.save_device(saved.saved_device_of(gpu))}"
    device = saved.CPU if gpu is None else gpu.device
    if as_json:
        print_json({"device": device, "uuid": gpu and gpu.uuid, "name": gpu and gpu.name, "reason": reason})
    else:
        echo(f"{device}{f' ({gpu.name})' if gpu and gpu.name else ''}: {reason}")


def select_again() -> None:
    """Select the device anew, whatever is saved, and save it: ask, or take the best one where there is no terminal."""
    from voxmatrix.machine import saved_device as saved

    computer, notes = _computer(None)
    _warn(notes)
    gpu, reason = _decide(computer, "", may_ask=True)
    choice = saved.saved_device_of(gpu)
    echo(f"{choice.device}: {reason}; saved in {saved.save_device(choice)}", err=True)


def _decide(computer: "Machine", name: str, may_ask: bool) -> "tuple[Gpu | None, str]":
    from voxmatrix.plan.device_request import AUTO
    from voxmatrix.plan.device_selection import select_device

    if name:
        return _named(computer, name), "as requested"
    if not computer.gpus:
        return None, "no GPU was found"
    chosen = select_device(computer, AUTO, task="speak")
    _warn(chosen.findings)
    best = chosen.gpu
    if may_ask and sys.stdin.isatty() and sys.stdout.isatty():
        return _ask(computer, best), "as requested"
    return best, "the best device, taken without asking (to select another: voxmatrix devices select DEVICE)"


def ask_once(computer: "Machine", best: "Gpu") -> "SavedDevice":
    """Ask which of several GPUs to use from now on, and save the answer."""
    from voxmatrix.machine.saved_device import save_device, saved_device_of

    echo("This computer has several GPUs. Which one should voxmatrix use from now on?")
    choice = saved_device_of(_ask(computer, best))
    try:
        echo(f"{choice.device}: saved in {save_device(choice)}; to change it: voxmatrix devices select DEVICE")
    except UnreachableError as error:
        warn(Finding(problem=f"{choice.device} is not saved: {error.problem}", remedy=error.remedy, severity="warning"))
    return choice


def _ask(computer: "Machine", best: "Gpu | None") -> "Gpu | None":
    from voxmatrix.cli.terminal.devices_table import print_table
    from voxmatrix.machine.saved_device import CPU

    print_table(computer)
    while True:
        answer = typer.prompt("Which device", default=CPU if best is None else best.device)
        try:
            return _named(computer, answer)
        except (NoDeviceError, UsageError) as error:
            echo(f"{error.problem}: {error.remedy}")


def _named(computer: "Machine", text: str) -> "Gpu | None":
    """The GPU with this name or number; None for "cpu"."""
    from voxmatrix.plan.device_request import parse_device
    from voxmatrix.plan.device_selection import not_found, requested_gpu

    request = parse_device(text, "flag", text)
    gpu = requested_gpu(computer, request, lambda gpu: True)
    if gpu is None and request.kind != "cpu":
        raise not_found(computer, request)
    return gpu


def _computer(described: Path | None) -> "tuple[Machine, tuple[Finding, ...]]":
    if described is not None:
        from voxmatrix.machine.record import read_machine

        return read_machine(described), ()
    from voxmatrix.machine.detect import detect
    from voxmatrix.plan.driver_state import driver_finding

    computer, notes = detect()
    return computer, (*notes, *filter(None, [driver_finding(computer)]))


def _warn(notes: tuple[Finding, ...]) -> None:
    for note in notes:
        warn(note)
