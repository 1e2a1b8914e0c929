"""`voxmatrix profiles list`, `export`, `import` and `remove`: what `train --tune` measured, by kind of device."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options

if TYPE_CHECKING:
    from voxmatrix.machine.profiles.profile import Measurement, Profile

group = typer.Typer(help="Profiles of devices: how much memory `train --tune` measured, to keep and to share.")
_COMMANDS = ("list", "export", "import", "remove")

_Name = Annotated[str, typer.Argument(metavar="NAME", help="As `voxmatrix profiles list` names it.")]


@group.callback()
def _options(context: typer.Context) -> None:
    # voxmatrix.toml has one level of keys, for the commands of a group as for every other.
    context.default_map = dict.fromkeys(_COMMANDS, context.default_map or {})


@group.command("list")
def list_profiles(as_json: options.AsJson = False) -> None:
    """List the profiles of VOXMATRIX_HOME, and name those that are damaged."""
    from voxmatrix.machine.profiles.store import all_profiles, folder

    kept = all_profiles()
    if as_json:
        findings = [{"severity": f.severity, "problem": f.problem, "remedy": f.remedy} for f in kept.findings]
        typer.echo(json.dumps({"profiles": [_row(each) for each in kept.profiles], "findings": findings}))
        return
    for profile in kept.profiles:
        typer.echo(f"{profile.key}: {profile.device.name or 'a device without a name'}")
        for measurement in profile.measurements:
            typer.echo(f"  {_described(measurement)}")
    for finding in kept.findings:
        typer.echo(f"{finding.severity}: {finding.problem}\n  → {finding.remedy}", err=True)
    if not kept.profiles:
        typer.echo(f"no profile in {folder()}\n  → measure one: voxmatrix train DATA --out DIR --tune")


@group.command("export")
def export(
    name: _Name,
    out: Annotated[Path | None, typer.Option("--out", help="The file to write; without it, to the screen.")] = None,
) -> None:
    """Write a profile for somebody with the same kind of device."""
    from voxmatrix.machine.profiles.store import as_text, find, write_profile

    profile = find(name)
    if out is None:
        typer.echo(as_text(profile), nl=False)
    else:
        write_profile(profile, out)
        typer.echo(f"{out}: {len(profile.measurements)} measurements of {name}")


@group.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `voxmatrix profiles export` wrote.")],
    as_json: options.AsJson = False,
) -> None:
    """Take over what somebody measured on this kind of device; of the same thing the later measurement stays."""
    from voxmatrix.machine.profiles.store import keep, place, read_profile

    profile = read_profile(file)
    merged = keep(profile)
    counts = {"added": merged.added, "replaced": merged.replaced, "left": merged.left}
    if as_json:
        typer.echo(json.dumps({"name": profile.key, "path": str(place(profile.key)), **counts}))
    else:
        typer.echo(
            f"{profile.key}: {merged.added} measurements added, {merged.replaced} replaced, "
            f"{merged.left} left as they were"
        )


@group.command("remove")
def remove(name: _Name) -> None:
    """Remove a profile, also one that is damaged: the plan estimates again."""
    from voxmatrix.machine.profiles import store

    typer.echo(f"removed {store.remove(name)}")


def _row(profile: "Profile") -> dict[str, Any]:
    return {"name": profile.key, **profile.to_json()}


def _described(measurement: "Measurement") -> str:
    way = ", gradient checkpointing" if measurement.gradient_checkpointing else ""
    sizes = "batch" if len(measurement.sizes) == 1 else "batches"
    return (
        f"{measurement.quality}, {measurement.precision}{way}: {measurement.largest_batch} clips of "
        f"{measurement.seconds:g} s (torch {measurement.torch}, {measurement.date}, "
        f"{len(measurement.sizes)} {sizes} measured)"
    )
