"""`voxmatrix doctor`: this computer, whether this image runs on it, and how to fix what is wrong."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, shown
from voxmatrix.config import environment, home
from voxmatrix.errors import UsageError
from voxmatrix.files import check_not_folder

if TYPE_CHECKING:
    from voxmatrix.doctor.report import DoctorReport


def command(
    device: options.Device = "auto",
    machine: Annotated[
        str,
        options.option(
            "--machine", "FILE", "Examine the computer described in FILE instead of this one.", parser=options.path
        ),
    ] = "",
    record: Annotated[
        str,
        typer.Option(
            "--record", metavar="FILE", help="Write a description of this computer to FILE.", parser=options.path
        ),
    ] = "",
    no_smoke: Annotated[bool, typer.Option("--no-smoke", help="Skip the smoke test.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat the smoke test even if it has passed before.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Check this computer and this image, and show how to fix problems."""
    if machine and record:
        raise UsageError(
            f"--record {record} describes this computer, and --machine {machine} another one",
            "give only one of them",
        )
    if record:
        check_not_folder(Path(record))
    report = _described(Path(machine), device) if machine else _here(device, record, no_smoke, fresh)
    if as_json:
        print_json(report.to_json())
    else:
        _show(report)
    raise typer.Exit(report.exit_code)


def _described(path: Path, device: str) -> "DoctorReport":
    from voxmatrix.doctor.examine import describe
    from voxmatrix.machine.record import read_machine

    return describe(read_machine(path), device)


def _here(device: str, record: str, no_smoke: bool, fresh: bool) -> "DoctorReport":
    from voxmatrix.doctor.examine import describe, examine
    from voxmatrix.doctor.report import requirements
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.record import write_machine
    from voxmatrix.machine.saved_device import CPU, saved_device
    from voxmatrix.plan.device_request import is_cpu_allowed, older_names

    older = older_names(environment())
    if device == "auto" and older.kind == CPU:
        device = CPU
    allowed = is_cpu_allowed(older, saved_device())
    found, notes = detect()
    needs = requirements(home())
    notes = (*notes, *(finding for need in needs for finding in need.findings))
    if record:
        write_machine(found, Path(record))
        echo(f"written: {record}", err=True)
    if no_smoke:
        report = describe(found, device, notes, is_cpu_allowed=allowed)
    else:
        report = examine(
            found,
            device,
            cache=home() / "cache",
            fresh=fresh,
            notes=notes,
            is_cpu_allowed=allowed,
            on_device=_show_progress,
        )
    return replace(report, needs=needs)


def _show_progress(device: str) -> None:
    if sys.stderr.isatty():
        echo(f"testing every operation on {device} …", err=True)


def _show(report: "DoctorReport") -> None:
    from rich.console import Console

    from voxmatrix.doctor.text import show

    show(report, Console(), shown)
