"""Public checkpoints: `voices search --checkpoints`, `voices download --checkpoint`, `train --from NAME`."""

import sys
from pathlib import Path
from typing import Any

import typer

from voxmatrix.cli.terminal.messages import echo, print_json
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.wording import pluralise


def list_checkpoints(text: str, language: str, *, as_json: bool) -> None:
    """Print the checkpoints in whose names all words of a text occur, of a language if it is not ""."""
    from voxmatrix.piper.checkpoints import checkpoints, place_of

    words, tag = text.casefold().split(), language.replace("_", "-").lower()
    found = [
        one
        for one in checkpoints().values()
        if all(word in one.name.casefold() for word in words)
        and f"{one.language}-".startswith(f"{tag}-" if tag else "")
    ]
    if as_json:
        print_json({"checkpoints": [_row(one, place_of(one.name)) for one in found]})
        return
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        here = "  (downloaded)" if place_of(one.name).exists() else ""
        echo(f"{one.name:{width}}  {one.language}, {one.quality}, {one.file.size / 1e6:.0f} MB{here}")
    echo(pluralise(len(found), "checkpoint"), err=True)
    if found:
        echo("  → voxmatrix train DATA --out DIR --from NAME --quality QUALITY", err=True)


def checkpoint_named(name: str, *, accepted: bool = False, as_json: bool = False) -> Path:
    """The file of a public checkpoint, which is downloaded with a line about it if it is not here.

    Raises:
        As `voxmatrix.piper.checkpoints.find` and `install`.
    """
    from voxmatrix.piper.checkpoints import find, install, license_of, place_of

    place = place_of(name)
    if place.exists():
        return place
    found = find(name)
    license = license_of(found)
    echo(f"{name}: {found.file.size / 1e6:.0f} MB, licence {license.words}", err=True)
    if not (license.permissive or accepted or as_json) and sys.stdin.isatty():
        echo(license.card, err=True)
        accepted = typer.confirm(
            "Its licence may restrict what voices made of it may be used for. Accept it?", err=True
        )
    with progress("download", "downloading", as_json=as_json) as on_progress:
        return install(found, license, accepted=accepted, on_progress=on_progress)


def download_checkpoint(name: str, *, accepted: bool, as_json: bool) -> None:
    """Download one, and print where it is."""
    place = checkpoint_named(name, accepted=accepted, as_json=as_json)
    if as_json:
        print_json({"name": name, "path": str(place)})
        return
    echo(str(place))
    quality = name.rpartition("-")[2]
    echo(f"  → voxmatrix train DATA --out DIR --from {name} --quality {quality}", err=True)


def _row(one: Any, place: Path) -> dict[str, Any]:
    return {
        "name": one.name,
        "language": one.language,
        "quality": one.quality,
        "bytes": one.file.size,
        "path": str(place) if place.exists() else None,
    }
