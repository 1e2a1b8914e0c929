"""Written text to its sentences in words. It is split before numbers are read: `It was in 1998. 3 left.`"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from voxmatrix.text.lines import unwrap
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.sentences import shortened, split
from voxmatrix.text.symbols import GIVEN_PHONEMES
from voxmatrix.text.words import sources

#: Phonemes in a text stay as they are: a character for private use stands for them meanwhile.
_PHONEMES = re.compile(GIVEN_PHONEMES)
_FIRST, _MAX = 0xF0000, 0xFFFE
_PRIVATE = re.compile("[\U000f0000-\U000fffff]")


class SpokenText(NamedTuple):
    """A sentence in words, or a part of one."""

    text: str
    source: str  # as it is written
    voice: str = ""  # the name of its voice in the text
    rate: float = 1.0  # times the speed of the text
    pause: float = 0.0  # seconds of silence before it, besides that between sentences
    turns: tuple[tuple[str, str], ...] = ()  # of a script: voices as the text names them, and what each says


def spoken_sentences(text: str, language: str, *, whole: bool = False, normalised: bool = True) -> Iterator[SpokenText]:
    """The sentences of a text in words, as they become ready; none is longer than MAX_CHARACTERS without phonemes.

    With `whole`, the text is one sentence, which was split from others before. Unless it is `normalised`, the sentences
    stay as they are written.
    """
    found: list[str] = []

    def hidden(match: re.Match[str]) -> str:
        if len(found) == _MAX:
            return match[0]
        found.append(match[0])
        return chr(_FIRST + len(found) - 1)

    def shown(text: str) -> str:
        return _PRIVATE.sub(lambda match: found[ord(match[0]) - _FIRST], text)

    text = _PHONEMES.sub(hidden, _PRIVATE.sub(" ", text))
    for sentence in [text] if whole else split(unwrap(text), language):
        pieces = list(shortened(normalise(sentence, language) if normalised else sentence))
        for piece, source in zip(pieces, sources(sentence, pieces, language), strict=True):
            yield SpokenText(shown(piece), shown(source))
