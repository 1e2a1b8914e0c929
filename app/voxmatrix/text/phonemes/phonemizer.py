"""From a sentence to phonemes: through espeak-ng as Piper uses it, or letter by letter without it."""

import re
import unicodedata
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from voxmatrix.errors import Finding, UsageError
from voxmatrix.text.phonemes.clauses import marks
from voxmatrix.text.phonemes.espeak import Espeak, outdated
from voxmatrix.text.phonemes.vowels import require_vowels
from voxmatrix.text.symbols import BOS, EOS, GIVEN_PHONEMES, PAD, letters

_GIVEN = re.compile(GIVEN_PHONEMES)
_LANGUAGE_FLAG = re.compile(r"\([^)]+\)")
#: Control characters are commands to espeak-ng; surrogates, private use and line separators cannot be spoken.
_UNSPEAKABLE = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})


class Phonemizer(Protocol):
    """Anything that turns a sentence into phonemes."""

    def phonemes(self, sentence: str) -> list[str]:
        """The phonemes of one sentence, one per code point; none when nothing in it can be spoken."""
        ...

    def warning(self) -> Finding | None:
        """What makes every sentence sound wrong, if anything does."""
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class EspeakPhonemizer:
    """One espeak-ng kept open for one voice. Its start overlaps with whatever comes before the first sentence."""

    def __init__(self, voice: str) -> None:
        self.espeak = Espeak(voice)
        self._is_arabic = voice.lower().split("-")[0] == "ar"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def phonemes(self, sentence: str) -> list[str]:
        """The phonemes of one sentence with its punctuation, as Piper's EspeakPhonemizer gives them.

        Raises:
            BadInputError: it is Arabic without vowel signs, or espeak-ng crashes on it.
        """
        return _with_given(_plain(sentence), self._pronounced)

    def _pronounced(self, text: str) -> list[str]:
        if self._is_arabic:
            require_vowels(text)
        clauses = self.espeak.ask(text)
        spoken = "".join(
            _LANGUAGE_FLAG.sub("", phonemes) + mark + (" " if mark in (",", ":", ";") else "")
            for (phonemes, _), mark in zip(clauses, marks(text, [end for _, end in clauses]), strict=True)
        )
        return list(unicodedata.normalize("NFD", spoken))

    def warning(self) -> Finding | None:
        """An espeak-ng that is too old."""
        return outdated(self.espeak.version)

    def close(self) -> None:
        """End the process."""
        self.espeak.close()


class TextPhonemizer:
    """Letters as phonemes, for voices that need no espeak-ng."""

    def phonemes(self, sentence: str) -> list[str]:
        """Lower-case letters with their accents apart (NFD), without the symbols that frame a sentence."""
        return _with_given(_plain(sentence), _letters)

    def warning(self) -> None:
        """Nothing can be wrong."""

    def close(self) -> None:
        """Nothing is held."""


def phonemizer(phoneme_type: str, voice: str) -> Phonemizer:
    """The phonemizer of a voice: `espeak` with its espeak-ng voice, or `text`.

    Raises:
        UsageError: there is no such type, or that cannot be the name of a voice.
    """
    if phoneme_type == "espeak":
        return EspeakPhonemizer(voice)
    if phoneme_type == "text":
        return TextPhonemizer()
    raise UsageError(f"there is no phoneme type {phoneme_type!r}", "choose espeak or text")


def _letters(text: str) -> list[str]:
    return [letter for letter in letters(text) if letter not in (PAD, BOS, EOS)]


def _with_given(text: str, pronounce: Callable[[str], list[str]]) -> list[str]:
    """The phonemes of a text, those in [[brackets]] as they are. As Piper joins them: with a space where one is."""
    if "[[" not in text:
        return pronounce(text)
    parts = _GIVEN.split(text)
    found: list[str] = []
    for number, part in enumerate(parts):
        if number % 2 == 0:
            found += pronounce(part.strip()) if part.strip() or len(parts) == 1 else []
        else:
            before, after = (
                " " if space else "" for space in (parts[number - 1][-1:] == " ", parts[number + 1][:1] == " ")
            )
            found += [*before, *part.strip(), *after]
    return found


def _plain(text: str) -> str:
    """One line without the characters that nobody can speak."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(character) in _UNSPEAKABLE else character for character in text)
    return " ".join(text.split())
