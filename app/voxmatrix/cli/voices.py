"""`voxmatrix voices`: search, download, list, clone and remove the voices that `--voice NAME` finds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli import clone_voice, make_voice, remote, voice_speed
from voxmatrix.cli.checkpoints import download_checkpoint, list_checkpoints
from voxmatrix.cli.command import EPILOG, CommandGroup, checked
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.completion import voice_names
from voxmatrix.cli.parameters.named_voice import download_voice
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.config import home
from voxmatrix.errors import UnreachableError, UsageError, VoxmatrixError
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.models.family import Family
    from voxmatrix.models.library import LibraryVoice

group = CommandGroup(help="Search, download, list, clone and remove the voices that `--voice NAME` finds, or make one.")
group.add_typer(remote.group, name="remote")

_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A name of `voices search`, or kokoro for all of its.", show_default=False)
]
_Voice = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A name of `voices list`.",
        show_default=False,
        parser=options.voice,
        autocompletion=voice_names,
    ),
]
_From = Annotated[
    Path | None,
    typer.Option("--from", metavar="FOLDER", help="Install from a folder with the files, without a network."),
]
_Url = Annotated[str, options.option("--url", "URL", "A mirror that has the files.")]
_Exact = Annotated[
    bool, typer.Option("--exact", help="Kokoro's network in float32: 325 MB instead of 92 MB, nearer to the original.")
]
_Accept = Annotated[bool, typer.Option("--accept-licence", help="Accept a licence that restricts the use.")]
_Checkpoints = Annotated[bool, typer.Option("--checkpoints", help="Checkpoints of Piper, for `train --from NAME`.")]
_Checkpoint = Annotated[bool, typer.Option("--checkpoint", help="Its checkpoint, to train further, and not the voice.")]
_Language = Annotated[str, typer.Option("--language", metavar="TAG", help="Of this language: de, en-GB.")]
_Text = Annotated[str, typer.Argument(metavar="[TEXT]", help="Words of names and languages.", show_default=False)]


@group.command("list")
def list_voices(as_json: options.AsJson = False) -> None:
    """List your voices (VOXMATRIX_HOME/voices) and the bundled one. The first one is the default of `speak`."""
    from voxmatrix.voices.resolve import default_finding, installed

    rows = [_row(name, family, path) for name, (family, path) in installed().items()]
    if as_json:
        print_json({"voices": rows})
        return
    if finding := default_finding():
        warn(finding)
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        known = (row["language"], row["quality"], f"{row['rate_hz']} Hz")
        facts = row["problem"] or ", ".join(filter(None, known))
        several = f", {row['speakers']} speakers" if (row["speakers"] or 1) > 1 else ""
        title = "" if row["title"] == row["name"] else f"{row['title']}: "
        echo(f"{row['name']:{width}}  {title}{facts}{several}\n{'':{width}}  {row['path']}")
    add = f"  → to add a voice, copy NAME.onnx and NAME.onnx.json to {home() / 'voices'}"
    echo(f"{add}, or: voxmatrix voices search", err=True)


@group.command("search")
def search(
    text: _Text = "", language: _Language = "", checkpoints: _Checkpoints = False, as_json: options.AsJson = False
) -> None:
    """List the voices that can be downloaded, or the checkpoints of some, to train further.

    The exit code is 8 if none is found, and not every library could be asked.
    """
    if checkpoints:
        list_checkpoints(text, language, as_json=as_json)
        return
    from voxmatrix.voices.library import search as search_library
    from voxmatrix.voices.resolve import installed

    found, problem = search_library(text, language)
    here = installed()
    if problem is not None and not found and not as_json:
        raise UnreachableError(f"no voice was found: {problem.problem}", problem.remedy)
    if problem is not None:
        warn(problem)
    if as_json:
        rows = [{**_public(voice), "installed": voice.name in here} for voice in found]
        print_json({"voices": rows, "problem": problem and problem.problem})
        if problem is not None and not found:
            raise typer.Exit(UnreachableError.exit_code)
        return
    width = max((len(voice.name) for voice in found), default=0)
    for voice in found:
        several = f"{voice.num_speakers} speakers" if voice.num_speakers > 1 else voice.gender
        facts = (voice.language_name, voice.quality, several, f"{voice.size / 1e6:.0f} MB")
        there = "  (installed)" if voice.name in here else ""
        echo(f"{voice.name:{width}}  {', '.join(filter(None, facts))}{there}")
    echo(pluralise(len(found), "voice"), err=True)
    hint = (
        "voxmatrix voices show NAME, voxmatrix voices download NAME" if found else "voxmatrix voices search lists all"
    )
    echo(f"  → {hint}", err=True)


@group.command("show")
def show(name: _Name, as_json: options.AsJson = False) -> None:
    """Show what is known of a voice, installed or not, with its licence."""
    from voxmatrix.voices.library import find, license_of, names_of
    from voxmatrix.voices.resolve import installed

    here = installed().get(name)
    if here is not None:
        facts = _row(name, *here)
        facts |= _arithmetic(*here) if facts["problem"] is None else {}
    else:
        voice = find(name)
        license = license_of(voice)
        facts = {**_public(voice), "license": license.words, "permissive": license.permissive}
        if name == voice.family:  # all of its voices
            facts = {key: facts[key] for key in ("family", "bytes", "license", "permissive")}
    facts = {"name": name, **facts, "installed": here is not None or bool(names_of(name))}
    if as_json:
        print_json(facts)
        return
    facts |= {"size": f"{facts.pop('bytes') / 1e6:.0f} MB"} if "bytes" in facts else {}
    for key, value in facts.items():
        if value not in (None, ""):
            shown = ("no", "yes")[value] if isinstance(value, bool) else value
            shown = f"{value['value']}: {value['reason']}" if isinstance(value, dict) else shown
            echo(f"{key.replace('_', ' '):13}  {shown}")


@group.command("download")
def download(
    name: _Name,
    source: _From = None,
    url: _Url = "",
    exact: _Exact = False,
    accept_licence: _Accept = False,
    checkpoint: _Checkpoint = False,
    as_json: options.AsJson = False,
) -> None:
    """Download a voice. It is resumed after an interruption, and every file is checked."""
    from voxmatrix.voices.library import install_from, libraries, library_of

    if checkpoint:
        if url or exact or source is not None:
            raise UsageError("--checkpoint goes with none of --from, --url and --exact", "leave them out")
        download_checkpoint(name, accepted=accept_licence, as_json=as_json)
        return
    if url and not url.startswith(("http://", "https://")):
        raise UsageError(f"--url is {url!r}", "choose a URL that begins with https:// or http://")
    if exact and not library_of(name).exact:
        others = " or ".join(library.title for library in libraries().values() if library.exact)
        raise UsageError(f"--exact has no effect on {name}", f"leave it out: only {others} has two networks")
    if url and source is not None:
        raise UsageError("--from and --url exclude each other", "give one of them")
    if source is not None:
        names = install_from(name, source, exact=exact, accepted=accept_licence)
    else:
        names = download_voice(name, url=url, exact=exact, accepted=accept_licence, as_json=as_json)
    folder = home() / "voices"
    if as_json:
        print_json({"folder": str(folder), "voices": names})
        return
    echo(f"{folder}: {pluralise(len(names), 'voice')}: {', '.join(names)}")
    echo(f'  → voxmatrix speak --voice {names[0]} --text "Hello" --out hello.wav', err=True)
    echo(f"  → to speak with it where no voice is named: voxmatrix voices default {names[0]}", err=True)


@group.command("default")
def default(name: _Voice, as_json: options.AsJson = False) -> None:
    """Let a voice speak where none is named."""
    from voxmatrix.voices.resolve import make_default

    make_default(name)
    if as_json:
        print_json({"default": name})
    else:
        echo(f"{name} is the default voice")


@group.command("remove")
def remove(name: _Voice, as_json: options.AsJson = False) -> None:
    """Remove a voice of yours, by its name in `voices list`; or all of a family: kokoro."""
    from voxmatrix.voices.resolve import remove as remove_voice

    removed = remove_voice(name)
    if as_json:
        print_json({"removed": [str(path) for path in removed]})
        return
    for path in removed:
        echo(f"removed: {path}")


group.command("clone")(clone_voice.command)
group.command("make", cls=checked("train", make_voice.folders), epilog=EPILOG)(make_voice.command)
group.command("speed")(voice_speed.command)


def _public(voice: "LibraryVoice") -> dict[str, Any]:
    return {
        "name": voice.name,
        "family": voice.family,
        "title": voice.title,
        "language": voice.language,
        "language_name": voice.language_name,
        "quality": voice.quality,
        "speakers": voice.num_speakers,
        "bytes": voice.size,
    }


def _row(name: str, family: "Family", path: Path) -> dict[str, Any]:
    from voxmatrix.voices.resolve import check_files
    from voxmatrix.voices.titles import title_of, titles

    row = {"name": name, "title": name, "family": family.name, "path": str(path)}
    facts: dict[str, Any] = dict.fromkeys(("language", "quality", "rate_hz", "speakers", "license", "source"))
    try:
        card = family.card(path)
        check_files(card)
    except VoxmatrixError as error:
        return {**row, **facts, "problem": error.problem}
    facts = {
        "title": title_of(card, titles()),
        "language": card.language,
        "quality": card.quality,
        "rate_hz": card.rate_hz,
        "speakers": card.num_speakers,
        "license": card.license,
        "source": card.source,
    }
    return {**row, **facts, "problem": None}


def _arithmetic(family: "Family", path: Path) -> dict[str, Any]:
    """How an engine computes a voice on the best device of this computer, each choice with its reason."""
    from voxmatrix.plan.device_request import AUTO
    from voxmatrix.voices.device_selection import select_devices

    card = family.card(path)
    if card.capabilities.arithmetic is None:
        return {}
    settings = card.arithmetic_on(select_devices(card, AUTO).best)
    return {name: {"value": setting.value, "reason": setting.reason} for name, setting in settings.items()}
