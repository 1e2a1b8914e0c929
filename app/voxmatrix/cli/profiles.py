"""`voxmatrix profiles list`, `export`, `import` and `remove`: what `train --tune` measured on each kind of device."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.command import CommandGroup
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn

if TYPE_CHECKING:
    from voxmatrix.machine.profile import Measurement, Profile

group = CommandGroup(help="Manage the memory profiles of devices measured by `train --tune`.")
_COMMANDS = ("list", "export", "import", "remove")

_Name = Annotated[str, typer.Argument(metavar="NAME", help="Name, as listed by `voxmatrix profiles list`.")]


@group.callback()
def _options(context: typer.Context) -> None:
    # voxmatrix.toml has a single level of keys, for subcommands too.
    context.default_map = dict.fromkeys(_COMMANDS, context.default_map or {})


@group.command("list")
def list_profiles(as_json: options.AsJson = False) -> None:
    """List the profiles in VOXMATRIX_HOME, including corrupt ones."""
    from voxmatrix.machine.profile_store import all_profiles, folder

    kept = all_profiles()
    if as_json:
        findings = [{"severity": f.severity, "problem": f.problem, "remedy": f.remedy} for f in kept.findings]
        print_json({"profiles": [_row(profile) for profile in kept.profiles], "findings": findings})
        return
    for profile in kept.profiles:
        echo(f"{profile.key}: {profile.device.name or 'unnamed device'}")
        for measurement in profile.measurements:
            echo(f"  {_described(measurement)}")
    for finding in kept.findings:
        warn(finding)
    if not kept.profiles:
        echo(f"no profiles in {folder()}\n  → measure one: voxmatrix train DATA --out DIR --tune")


@group.command("export")
def export(
    name: _Name,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Output file (default: standard output).")
    ] = None,
) -> None:
    """Write a profile to a file, to share it."""
    from voxmatrix.machine.profile_store import as_text, find, write_profile
    from voxmatrix.wording import pluralise

    profile = find(name)
    if out is None:
        echo(as_text(profile).rstrip())
    else:
        write_profile(profile, out)
        echo(f"{out}: {pluralise(len(profile.measurements), 'measurement')} of {name}")


@group.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File written by `voxmatrix profiles export`.")],
    as_json: options.AsJson = False,
) -> None:
    """Merge a profile into those in VOXMATRIX_HOME; newer measurements replace older ones."""
    from voxmatrix.machine.profile_store import keep, place, read_profile
    from voxmatrix.wording import pluralise

    profile = read_profile(file)
    merged = keep(profile)
    counts = {"added": merged.added, "replaced": merged.replaced, "left": merged.left}
    if as_json:
        print_json({"name": profile.key, "path": str(place(profile.key)), **counts})
    else:
        added = pluralise(merged.added, "measurement")
        echo(f"{profile.key}: {added} added, {merged.replaced} replaced, {merged.left} unchanged")


@group.command("remove")
def remove(name: _Name, as_json: options.AsJson = False) -> None:
    """Remove a profile, which may be corrupt. Plans then use estimates again."""
    from voxmatrix.machine import profile_store

    removed = profile_store.remove(name)
    if as_json:
        print_json({"removed": str(removed)})
    else:
        echo(f"removed: {removed}")


def _row(profile: "Profile") -> dict[str, Any]:
    return {"name": profile.key, **profile.to_json()}


def _described(measurement: "Measurement") -> str:
    mode = ", gradient checkpointing" if measurement.gradient_checkpointing else ""
    sizes = "batch" if len(measurement.sizes) == 1 else "batches"
    return (
        f"{measurement.quality}, {measurement.precision}{mode}: {measurement.largest_batch} clips of "
        f"{measurement.seconds:g} s (torch {measurement.torch}, {measurement.date}, "
        f"{len(measurement.sizes)} {sizes} measured)"
    )
