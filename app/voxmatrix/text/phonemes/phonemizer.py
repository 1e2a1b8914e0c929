"""From a sentence to phonemes: through espeak-ng as Piper uses it, or letter by letter without it."""

import re
import unicodedata
from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self

from voxmatrix.errors import UsageError
from voxmatrix.text.phonemes.clauses import Clause, clauses
from voxmatrix.text.phonemes.espeak import LINE_BYTES, EspeakProgram, espeak_installed
from voxmatrix.text.phonemes.stress import as_read
from voxmatrix.text.symbols import BOS, EOS, PAD, letters

__all__ = ["EspeakPhonemizer", "Phonemizer", "TextPhonemizer", "espeak_installed", "phonemizer"]

#: espeak-ng breaks a clause by itself beyond some 700 bytes, in places that cannot be foreseen.
_CLAUSE_BYTES = 600
_LANGUAGE_FLAG = re.compile(r"\([^)]+\)")


class Phonemizer(Protocol):
    """Anything that turns a sentence into phonemes."""

    def phonemes(self, sentence: str) -> list[str]:
        """The phonemes of one sentence, a code point each; none when nothing in it can be spoken."""
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...


class EspeakPhonemizer:
    """One espeak-ng kept open for one voice. Its start overlaps with whatever is done before the first sentence."""

    def __init__(self, voice: str) -> None:
        self._program = EspeakProgram(voice)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def phonemes(self, sentence: str) -> list[str]:
        """The phonemes of one sentence with its punctuation, as Piper's EspeakPhonemizer gives them."""
        spoken = "".join(
            _LANGUAGE_FLAG.sub("", phonemes) + mark + (" " if mark in (",", ":", ";") else "")
            for line in _lines(list(clauses(_plain(sentence), self._program.voice)))
            for phonemes, mark in self._read(line)
        )
        return list(unicodedata.normalize("NFD", spoken))

    def close(self) -> None:
        """End the program."""
        self._program.close()

    def _read(self, line: list[Clause]) -> Iterator[tuple[str, str]]:
        """The phonemes and the mark of each clause; clause by clause where the program sees others than we do."""
        ask, voice = self._program.ask, self._program.voice
        spoken = ask("".join(clause.text for clause in line))
        if len(spoken) != len(line):
            spoken = [" ".join(ask(clause.text)) for clause in line]
        for phonemes, clause in zip(spoken, line, strict=True):
            yield as_read(phonemes, clause.text, voice, ask), clause.mark


class TextPhonemizer:
    """Letters as phonemes, for voices that need no espeak-ng."""

    def phonemes(self, sentence: str) -> list[str]:
        """Small letters with their accents apart (NFD); the symbols that frame a sentence are left out."""
        return [letter for letter in letters(_plain(sentence)) if letter not in (PAD, BOS, EOS)]

    def close(self) -> None:
        """Nothing is held."""


def phonemizer(phoneme_type: str, voice: str) -> Phonemizer:
    """The phonemizer of a voice: `espeak` with its espeak-ng voice, or `text`.

    Raises:
        MissingProgramError: espeak-ng is needed and not installed.
        UsageError: there is no such type.
    """
    if phoneme_type == "espeak":
        return EspeakPhonemizer(voice)
    if phoneme_type == "text":
        return TextPhonemizer()
    raise UsageError(f"there is no phoneme type {phoneme_type!r}", "choose espeak or text")


def _plain(text: str) -> str:
    """One line without control characters and without `[[`: both are orders to espeak-ng."""
    line = "".join(" " if unicodedata.category(character) in _UNSPEAKABLE else character for character in text)
    return " ".join(line.replace("[", "(").replace("]", ")").split())


#: Controls, surrogates, private use, line and paragraph separators.
_UNSPEAKABLE = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})


def _lines(found: list[Clause]) -> Iterator[list[Clause]]:
    """Clauses put together to lines that the program reads whole."""
    line: list[Clause] = []
    length = 0
    for clause in found:
        for piece in _pieces(clause):
            size = len(piece.text.encode("utf-8"))
            if line and length + size > LINE_BYTES:
                yield line
                line, length = [], 0
            line.append(piece)
            length += size
    if line:
        yield line


def _pieces(clause: Clause) -> Iterator[Clause]:
    """A clause too long for espeak-ng in pieces, at spaces where there are any."""
    text = clause.text
    while len(text.encode("utf-8")) > _CLAUSE_BYTES:
        head = text.encode("utf-8")[:_CLAUSE_BYTES].decode("utf-8", "ignore")
        cut = head.rfind(" ") + 1 or len(head)
        yield Clause(text[:cut], "")
        text = text[cut:]
    yield Clause(text, clause.mark)
