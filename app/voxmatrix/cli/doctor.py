"""`voxmatrix doctor`: what this computer is, whether this image runs on it, what is wrong and what mends it."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.config import home
from voxmatrix.errors import UsageError

if TYPE_CHECKING:
    from voxmatrix.doctor.report import DoctorReport


def command(
    device: options.Device = "auto",
    machine: Annotated[
        str, options.option("--machine", "Speak about the computer that this file describes, not about this one.")
    ] = "",
    record: Annotated[str, typer.Option("--record", help="Write the facts of this computer to this file.")] = "",
    no_smoke: Annotated[bool, typer.Option("--no-smoke", help="Leave out the smoke test.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run the smoke test though it passed here before.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """What this computer is, whether this image runs on it, what is wrong and what mends it."""
    if machine and record:
        raise UsageError(
            f"--record {record} writes down this computer, and --machine {machine} describes another",
            "give one of them",
        )
    report = _described(Path(machine), device) if machine else _here(device, record, no_smoke, fresh)
    if as_json:
        typer.echo(json.dumps(report.to_json()))
    else:
        _show(report)
    raise typer.Exit(report.exit_code)


def _described(path: Path, device: str) -> "DoctorReport":
    from voxmatrix.doctor.examine import describe
    from voxmatrix.machine.record import read_machine

    return describe(read_machine(path), device)


def _here(device: str, record: str, no_smoke: bool, fresh: bool) -> "DoctorReport":
    from voxmatrix.doctor.examine import describe, examine
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.record import write_machine
    from voxmatrix.text.phonemes.espeak import espeak_findings

    found, notes = detect()
    notes = (*notes, *espeak_findings())
    if record:
        write_machine(found, Path(record))
        typer.echo(f"recorded: {record}", err=True)
    if no_smoke:
        return describe(found, device, notes)
    cache = home() / "cache"
    return examine(found, device, cache=cache, fresh=fresh, notes=notes, on_device=_say)


def _say(device: str) -> None:
    if sys.stderr.isatty():
        typer.echo(f"trying every operation on {device} …", err=True)


def _show(report: "DoctorReport") -> None:
    from rich.console import Console

    from voxmatrix.doctor.text import show

    show(report, Console())
