"""The voices that requests can name. A name is looked up in a listing and never becomes part of a path."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from voxmatrix.errors import UsageError, VoxmatrixError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import Family
from voxmatrix.models.style import MAX_KNOBS, Style
from voxmatrix.serve.errors import ApiError
from voxmatrix.voices.opened import FileVersion, file_version
from voxmatrix.voices.resolve import installed

#: OpenAI's voices, and its models: clients that know only these get the default voice.
BUILT_IN = frozenset(
    ("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin", "cedar")
)
MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
#: Separates the name of a voice from that of one of its speakers.
SPEAKER_MARK = ":"


class UnknownVoiceError(VoxmatrixError):
    """There is no voice, or no speaker, of this name."""


class Catalogue:
    """The default voice, and the voices in the voice folders."""

    def __init__(self, default: VoiceCard) -> None:
        """`default` is listed first."""
        self.default = default
        self._known: dict[Path, tuple[FileVersion, VoiceCard]] = {}

    def voices(self) -> dict[str, VoiceCard]:
        """All voices by name, the default one first. Those that are incomplete or corrupt are left out."""
        found = {self.default.id: self.default}
        for name, (family, path) in installed().items():
            if name in found:
                continue
            try:
                card = self._card(family, path)
            except (VoxmatrixError, OSError):
                continue  # `voxmatrix voices list` says what is wrong with it
            if _is_in_its_folder(card):
                found[name] = card
        return found

    def _card(self, family: Family, path: Path) -> VoiceCard:
        """The card of a voice, made again only when a file of it has changed."""
        known = self._known.pop(path, None)
        if known is None or known[0] != file_version(known[1]):
            card = family.card(path)
            known = file_version(card), card
        self._known[path] = known
        return known[1]


def find(voices: Mapping[str, VoiceCard], name: str) -> tuple[VoiceCard, str | None]:
    """The voice of this name, or NAME:SPEAKER, and the speaker. OpenAI's names stand for the first voice.

    Raises:
        UnknownVoiceError: there is no such voice or speaker; the message lists what exists.
    """
    if name in voices:
        return voices[name], None
    if name in BUILT_IN:
        return next(iter(voices.values())), None
    base, mark, speaker = name.rpartition(SPEAKER_MARK)
    if not mark or base not in voices:
        raise UnknownVoiceError(f"there is no such voice; choose one of: {', '.join(voices)}")
    if speaker not in voices[base].speaker_names:
        known = ", ".join(voices[base].speaker_names[:50]) or "none: it has one speaker"
        raise UnknownVoiceError(f"the voice {base} has no such speaker; its speakers are {known}")
    return voices[base], speaker


def _is_in_its_folder(card: VoiceCard) -> bool:
    """Whether no file of the voice is a link that leads out of the folder of voices."""
    links = [file for file in card.files if file.is_symlink()]
    return all(link.resolve().parent == card.path.parent.resolve() for link in links)


#: Settings of the voice by name, as its capabilities list them.
Knobs = Annotated[
    dict[Annotated[str, Field(max_length=256)], Annotated[float, Field(allow_inf_nan=False)]],
    Field(max_length=MAX_KNOBS, examples=[{"noise": 0.5}]),
]


def check_fields(voice: VoiceCard, *, speed: float, knobs: Mapping[str, float], **single: float | None) -> None:
    """Check that the voice can speak like this. `single` are knobs with a field of their own.

    Raises:
        ApiError: it cannot; the error names the field.
    """
    own = {name: Style(knobs={name: value}) for name, value in single.items() if value is not None}
    entries = {f"knobs.{name}": Style(knobs={name: value}) for name, value in knobs.items()}
    for param, style in {"speed": Style(speed=speed), **own, **entries}.items():
        try:
            voice.check(style)
        except UsageError as error:
            message = f"{error.problem}; {error.remedy}"
            raise ApiError(400, message, param=param, code="invalid_value") from error
