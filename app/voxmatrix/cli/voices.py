"""`voxmatrix voices list`: the voices that `--voice NAME` finds."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import print_json
from voxmatrix.errors import VoxmatrixError

if TYPE_CHECKING:
    from voxmatrix.models.family import Family

group = typer.Typer(help="List the voices that `--voice NAME` finds.")


@group.callback()
def _group() -> None:
    """Without a callback, Typer would make `list` the only command and drop its name."""


@group.command("list")
def list_voices(as_json: options.AsJson = False) -> None:
    """List your voices (VOXMATRIX_HOME/voices) and the bundled one. The first one is the default of `speak`."""
    from voxmatrix.config import home
    from voxmatrix.voices.resolve import installed

    rows = [_row(name, family, path) for name, (family, path) in installed().items()]
    if as_json:
        print_json({"voices": rows})
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        facts = row["problem"] or f"{row['language']}, {row['quality'] or 'unknown quality'}, {row['rate_hz']} Hz"
        several = f", {row['speakers']} speakers" if (row["speakers"] or 1) > 1 else ""
        typer.echo(f"{row['name']:{width}}  {facts}{several}\n{'':{width}}  {row['path']}")
    typer.echo(f"  → to add a voice, copy NAME.onnx and NAME.onnx.json to {home() / 'voices'}", err=True)


def _row(name: str, family: "Family", path: Path) -> dict[str, Any]:
    row = {"name": name, "family": family.name, "path": str(path)}
    facts: dict[str, Any] = dict.fromkeys(("language", "quality", "rate_hz", "speakers"))
    try:
        card = family.card(path)
    except VoxmatrixError as error:
        return {**row, **facts, "problem": error.problem}
    facts = {
        "language": card.language,
        "quality": card.quality,
        "rate_hz": card.rate_hz,
        "speakers": card.num_speakers,
    }
    return {**row, **facts, "problem": None}
