"""The voice that `--voice NAME` means, which is downloaded if it is not here."""

import sys
from typing import TYPE_CHECKING

import typer

from voxmatrix.cli.terminal.messages import echo, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import BadInputError

if TYPE_CHECKING:
    from voxmatrix.models.card import VoiceCard


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
