"""`NAME.voice`: a voice of an engine, as JSON: whose weights, and which recording it imitates.

Recordings are in `voices/references`, each once, by its SHA-256; a voice that was sent to another computer has its
recording beside it.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from voxmatrix.config import voice_folders
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.external.manifest import Name, Sha256
from voxmatrix.files import read_errors, write_text

REFERENCES = "references"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeptReference(_Table):
    """A recording of the voice."""

    sha256: Sha256  # of the WAV file
    transcript: str = ""


class Consent(_Table):
    """The statement that the voice may be imitated."""

    statement: str
    by: str
    at: datetime


class VoiceFile(_Table):
    """All of it."""

    engine: Name
    weights: dict[Name, Sha256] = {}  # the digest of each by its id
    language: str  # as espeak-ng names it: en-us
    voice: str = ""  # the name by which the weights know it
    title: str = ""
    license: str = ""
    reference: KeptReference | None = None
    consent: Consent | None = None


def read_voice(path: Path) -> VoiceFile:
    """Read a voice.

    Raises:
        BadInputError: it is missing.
        DamagedFileError: it is no voice.
    """
    with read_errors(path):
        content = path.read_bytes()
    try:
        return VoiceFile.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DamagedFileError(
            f"{path} is no voice of an engine: {place}{': ' * bool(place)}{first['msg']}", "make or download it again"
        ) from error


def write_voice_file(path: Path, voice: VoiceFile) -> None:
    """Write a voice.

    Raises:
        UnreachableError: the folder cannot be written to.
    """
    content = voice.model_dump(mode="json", exclude_defaults=True)
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def reference_path(voice: Path, reference: KeptReference) -> Path:
    """The recording of the voice in this file.

    Raises:
        BadInputError: it is missing.
    """
    name = f"{reference.sha256}.wav"
    for path in (voice.parent / name, *(folder / REFERENCES / name for folder in voice_folders())):
        if path.exists():
            return path
    raise BadInputError(
        f"the recording of the voice {voice.stem} is missing", "make the voice again from the recording"
    )


def remove_unused_references(voices: Iterable[Path]) -> None:
    """Remove the recordings that none of these voices needs, which are all of the user's."""
    used: set[str] = set()
    for path in voices:
        try:
            reference = read_voice(path).reference
        except (BadInputError, DamagedFileError):
            return  # whose it is cannot be known
        used |= {reference.sha256} if reference else set()
    for path in (voice_folders()[0] / REFERENCES).glob("*.wav"):
        if path.stem not in used:
            path.unlink(missing_ok=True)


def now() -> datetime:
    """The time, to the second."""
    return datetime.now(UTC).replace(microsecond=0)
