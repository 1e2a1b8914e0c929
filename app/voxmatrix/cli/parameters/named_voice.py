"""The voice that `--voice NAME` means, which is downloaded if it is not here."""

import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from voxmatrix.cli.terminal.messages import echo, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.files import read_errors

if TYPE_CHECKING:
    from voxmatrix.models.card import VoiceCard

_BEGINNING_BYTES = 4096


def voice_named(name: str, *, as_json: bool = False) -> "VoiceCard":
    """The voice of this name or file. One of the library that is not installed is downloaded, with a line about it.

    Raises:
        As `resolve`, and as the download.
    """
    from voxmatrix.voices.resolve import default_finding, resolve

    if not name and (finding := default_finding()):
        warn(finding)
    try:
        return resolve(name)
    except BadInputError:
        from voxmatrix.voices.library import missing

        wanted = missing(name)
        if not wanted:
            raise
    download_voice(wanted, as_json=as_json)
    return resolve(name)


def beginning(text: str | None, file: Path | None) -> str:
    """What tells the language of a text: its beginning; "" if it comes from a pipe, which is read once."""
    if text is not None or file is None or not file.is_file():
        return text or ""
    with read_errors(file), file.open("rb") as opened:
        data = opened.read(_BEGINNING_BYTES)
    return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8", "ignore")


def voice_for_language(name: str, language: str, what: str = "the text", *, as_json: bool = False) -> "VoiceCard":
    """As `voice_named`; where none is named, an installed voice of the language of a text, "" if it is not known.

    A line says so, or a warning that the named voice speaks another language, and which one speaks this.
    """
    from voxmatrix.voices.languages import installed_voice_for, speaks

    voice = voice_named(name, as_json=as_json)
    if not language or speaks(voice, language):
        return voice
    other = installed_voice_for(language)
    if other is None or name:
        problem = f"{what} is in the language {language}, and the voice {voice.id} speaks {voice.language}"
        remedy = f"choose --voice {other.id}" if other else f"voxmatrix voices search --language {language}"
        warn(Finding(problem=f"{problem}: it will sound foreign", remedy=remedy, severity="warning"))
        return voice
    echo(f"{what} is in the language {language}: {other.id} speaks, unless you choose a --voice", err=True)
    return other


def download_voice(
    name: str, *, url: str = "", exact: bool = False, accepted: bool = False, as_json: bool = False
) -> list[str]:
    """Say what is downloaded, ask for what its licence needs, and do it."""
    from voxmatrix.voices.library import find, install, library_of, license_of

    voice = find(name)
    license = license_of(voice, url)
    size = voice.exact_size if exact else voice.size
    origin = url or library_of(name).origin
    echo(f"{name}: {size / 1e6:.0f} MB, licence {license.words}, from {origin}", err=True)
    if not (license.permissive or accepted or as_json) and sys.stdin.isatty():
        echo(license.card, err=True)
        accepted = typer.confirm("Its licence may restrict what the voice may be used for. Accept it?", err=True)
    with progress("download", "downloading", as_json=as_json) as on_progress:
        return install(name, exact=exact, url=url, accepted=accepted, on_progress=on_progress)
