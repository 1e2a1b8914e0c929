"""`voxmatrix voices`: list, download and remove the voices that `--voice NAME` finds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import print_json
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import UsageError, VoxmatrixError
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.models.family import Family

group = typer.Typer(help="List, download and remove the voices that `--voice NAME` finds.")

#: What can be downloaded.
_RELEASES = ("kokoro",)
_Name = Annotated[str, typer.Argument(metavar="NAME", help="kokoro", show_default=False)]
_Voice = Annotated[str, typer.Argument(metavar="NAME", help="A name of `voices list`, or kokoro.", show_default=False)]
_From = Annotated[
    Path | None,
    typer.Option("--from", metavar="FOLDER", help="Install from a folder with the files, without a network."),
]
_Url = Annotated[str, options.option("--url", "URL", "A mirror that has the files.")]
_Exact = Annotated[
    bool, typer.Option("--exact", help="The network in float32: 325 MB instead of 92 MB, nearer to the original.")
]


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
    add = f"  → to add a voice, copy NAME.onnx and NAME.onnx.json to {home() / 'voices'}"
    more = "" if any(row["family"] == "kokoro" for row in rows) else ", or: voxmatrix voices download kokoro"
    typer.echo(add + more, err=True)


@group.command("download")
def download(
    name: _Name, source: _From = None, url: _Url = "", exact: _Exact = False, as_json: options.AsJson = False
) -> None:
    """Download a family of voices. It is resumed after an interruption, and every file is checked."""
    from voxmatrix.kokoro.install import install, install_from, needed, release
    from voxmatrix.voices.resolve import installed

    if name not in _RELEASES:
        raise UsageError(f"there is no {name!r} to download", f"choose one of: {', '.join(_RELEASES)}")
    if url and not url.startswith(("http://", "https://")):
        raise UsageError(f"--url is {url!r}", "choose a URL that begins with https:// or http://")
    if source is not None:
        folder = install_from(source)
    else:
        size = sum(file.size for file in needed(exact=exact))
        if not as_json:
            typer.echo(
                f"{name}: {size / 1e6:.0f} MB, licence {release().license}, from {url or release().url}", err=True
            )
        with progress("download", "downloading", as_json=as_json) as on_progress:
            folder = install(exact=exact, url=url, on_progress=on_progress)
    names = [known for known, (family, _) in installed().items() if family.name == name]
    if as_json:
        print_json({"folder": str(folder), "voices": names})
        return
    typer.echo(f"{folder}: {pluralise(len(names), 'voice')}: {', '.join(names)}")
    typer.echo(f'  → voxmatrix speak --voice {names[0]} --text "Hello" --out hello.wav', err=True)


@group.command("remove")
def remove(name: _Voice, as_json: options.AsJson = False) -> None:
    """Remove a voice of yours, by its name in `voices list`; or all of a family: kokoro."""
    from voxmatrix.voices.resolve import remove as remove_voice

    removed = remove_voice(name)
    if as_json:
        print_json({"removed": [str(path) for path in removed]})
        return
    for path in removed:
        typer.echo(f"removed: {path}")


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
