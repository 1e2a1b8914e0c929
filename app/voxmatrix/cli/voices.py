"""`voxmatrix voices list`: the voices that `--voice NAME` finds."""

import json
from pathlib import Path
from typing import Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.errors import VoxmatrixError

group = typer.Typer(help="List the voices that `--voice NAME` finds.")


@group.callback()
def _group() -> None:
    """Without a callback, Typer would make `list` the only command and drop its name."""


@group.command("list")
def list_voices(as_json: options.AsJson = False) -> None:
    """List your voices (VOXMATRIX_HOME/voices) and the bundled one. The first one is the default of `speak`."""
    from voxmatrix.config import home
    from voxmatrix.piper.files import installed_voices

    rows = [_row(path) for path in installed_voices()]
    if as_json:
        typer.echo(json.dumps({"voices": rows}))
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        facts = row["problem"] or f"{row['language']}, {row['quality'] or 'unknown quality'}, {row['rate_hz']} Hz"
        several = f", {row['speakers']} speakers" if (row["speakers"] or 1) > 1 else ""
        typer.echo(f"{row['name']:{width}}  {facts}{several}\n{'':{width}}  {row['path']}")
    typer.echo(f"  → to add a voice, copy NAME.onnx and NAME.onnx.json to {home() / 'voices'}", err=True)


def _row(path: Path) -> dict[str, Any]:
    from voxmatrix.piper.config import VoiceConfig
    from voxmatrix.piper.files import config_path

    row = {"name": path.stem, "path": str(path), "language": None, "quality": None, "rate_hz": None, "speakers": None}
    try:
        config = VoiceConfig.read(config_path(path))
    except VoxmatrixError as error:
        return {**row, "problem": error.problem}
    language, speakers = config.espeak_voice, config.num_speakers
    facts = {"language": language, "quality": config.quality, "rate_hz": config.rate_hz, "speakers": speakers}
    return {**row, **facts, "problem": None}
