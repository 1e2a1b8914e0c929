"""Which voice speaks the language of a text."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.errors import VoxmatrixError
from voxmatrix.models.card import VoiceCard

if TYPE_CHECKING:
    from voxmatrix.models.family import Family


def base_language(tag: str) -> str:
    """The language of a tag, without its country: es-ES and es-419 are es. Norwegian and Chinese have several codes."""
    base = tag.lower().replace("_", "-").partition("-")[0]
    return {"no": "nb", "cmn": "zh"}.get(base, base)


def speaks(voice: VoiceCard, language: str) -> bool:
    """Whether a voice speaks a language. One that does not say what it speaks may speak any."""
    known = [base_language(tag) for tag in voice.languages if tag]
    return not known or base_language(language) in known


def voice_for(language: str, voices: Iterable[VoiceCard]) -> VoiceCard | None:
    """The first of these voices whose main language this is."""
    wanted = base_language(language)
    return next((voice for voice in voices if voice.language and base_language(voice.language) == wanted), None)


def installed_voice_for(language: str) -> VoiceCard | None:
    """The installed voice that speaks a language where none is named.

    That is an included one before the user's own, of which one may have learned for ten seconds.
    """
    from voxmatrix.voices.resolve import installed, is_own

    found = sorted(installed().values(), key=lambda where: is_own(where[1]))
    return voice_for(language, _usable(found))


def _usable(found: "Iterable[tuple[Family, Path]]") -> Iterable[VoiceCard]:
    for family, path in found:
        try:
            yield family.card(path)
        except (VoxmatrixError, OSError):
            continue  # who names it learns why
