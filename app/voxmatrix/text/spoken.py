"""Written text to its sentences in words. It is split before numbers are read: `It was in 1998. 3 left.`"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from voxmatrix.text.heteronyms import say_heteronyms
from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.lines import unwrap
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.normalisation.say_as import SAY_AS, said_as
from voxmatrix.text.sentences import shortened, split
from voxmatrix.text.symbols import GIVEN_PHONEMES
from voxmatrix.text.words import sources

#: Phonemes in a text stay as they are, and so does what is in words already: a character for private use stands for
#: them meanwhile.
_KEPT = lazy_pattern(f"{GIVEN_PHONEMES}|{SAY_AS}")
_FIRST, _MAX = 0xF0000, 0xFFFE
_PRIVATE = lazy_pattern("[\U000f0000-\U000fffff]")


class SpokenText(NamedTuple):
    """A sentence in words, or a part of one."""

    text: str
    source: str  # as it is written
    voice: str = ""  # the name of its voice in the text
    rate: float = 1.0  # times the speed of the text
    pause: float = 0.0  # seconds of silence before it, besides that between sentences
    continues: bool = False  # it goes on with the sentence before it, in another voice or at another rate
    breaks_off: bool = False  # the next one goes on with it
    turns: tuple[tuple[str, str], ...] = ()  # of a script: voices as the text names them, and what each says


def spoken_sentences(
    text: str, language: str, *, whole: bool = False, normalised: bool = True, by_espeak: bool = True
) -> Iterator[SpokenText]:
    """The sentences of a text in words, as they become ready; none is longer than MAX_CHARACTERS without phonemes
    and what `say-as` marks.

    With `whole`, the text is one sentence, which was split from others before. Unless it is `normalised`, the sentences
    stay as they are written. `by_espeak`: whether espeak-ng pronounces the words, as `normalise` has it; others choose
    the readings of English words themselves.
    """
    found: list[tuple[str, str]] = []  # as they are said, and as they are written

    def hidden(match: re.Match[str]) -> str:
        said: str | None = match[0]
        if match["kind"]:
            said = said_as(match["written"], match["kind"], match["format"] or "", language)
        written = match["written"] if match["kind"] else match[0]
        if said is None or len(found) == _MAX:
            return written
        found.append((said, written))
        return chr(_FIRST + len(found) - 1)

    def shown(text: str, *, written: bool = False) -> str:
        return _PRIVATE.sub(lambda match: found[ord(match[0]) - _FIRST][written], text)

    text = _KEPT.sub(hidden, _PRIVATE.sub(" ", text))
    for sentence in [text] if whole else split(unwrap(text), language):
        said = normalise(sentence, language, by_espeak=by_espeak) if normalised else sentence
        pieces = list(shortened(say_heteronyms(said, language) if normalised and by_espeak else said))
        for piece, source in zip(pieces, sources(sentence, pieces, language), strict=True):
            yield SpokenText(shown(piece), shown(source, written=True))
