"""Which words of a sentence as it is written became which of its sounds. Pure, but for what pronounces words."""

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, chain, pairwise

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.symbols import GIVEN_PHONEMES

#: Words are between spaces; phonemes in brackets may have spaces.
_TOKEN = lazy_pattern(rf"(?:{GIVEN_PHONEMES}|\S)+")
#: Marks and spaces, by the first letter of their category, are no sounds.
_SILENT = ("P", "Z", "C")

#: The phonemes of each word, pronounced alone.
Pronounce = Callable[[Sequence[str]], Iterable[Sequence[str]]]


@dataclass(frozen=True)
class Word:
    """A word as it is written, and the phonemes start..end of its sentence; none if it is not heard."""

    text: str
    start: int
    end: int


def tokens(text: str) -> list[str]:
    """The words of a text, with the marks on them; a mark that stands alone belongs to the word before it."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        if found and not any(character.isalnum() for character in match[0]):
            found[-1] += f" {match[0]}"
        else:
            found.append(match[0])
    return found


def heard_words(source: str, spoken: str, phonemes: Sequence[str], language: str, pronounce: Pronounce) -> list[Word]:
    """The words of a sentence.

    Args:
        source: the sentence as it is written: `It was in 1998.`
        spoken: in words: `It was in nineteen ninety-eight.`
        phonemes: what the voice says of it, with marks and spaces.
        language: a voice of espeak-ng or a language tag.
        pronounce: gives the phonemes of words alone.
    """
    written, said = tokens(source), tokens(spoken)
    edges = word_edges(written, said, language)
    alone = [[one for one in found if _is_sound(one)] for found in pronounce(said)]
    places = [place for place, phoneme in enumerate(phonemes) if _is_sound(phoneme)]
    starts = {number for number, place in enumerate(places) if number == 0 or place != places[number - 1] + 1}
    ends = [0, *accumulate(map(len, alone))]
    sounds = [phonemes[place] for place in places]
    return list(_words(written, _mapped([ends[edge] for edge in edges], list(chain(*alone)), sounds, starts), places))


def sources(text: str, pieces: Sequence[str], language: str = "") -> list[str]:
    """What of a text each of its pieces was, in which words have become others: by rules, if there is a language."""
    if len(pieces) <= 1:
        return [text] * len(pieces)
    written, said = tokens(text), [tokens(piece) for piece in pieces]
    edges = word_edges(written, [word for words in said for word in words], language)
    cuts = [bisect_left(edges, end) for end in accumulate(map(len, said))]
    return [" ".join(written[start:end]) for start, end in pairwise([0, *cuts[:-1], len(written)])]


def word_edges(written: Sequence[str], spoken: Sequence[str], language: str) -> list[int]:
    """Where in the spoken words each of the written ones begins, and where the last ends: `1998` becomes two.

    Without a language, numbers and the like were not read.
    """
    alone = [tokens(normalise(word, language)) if language and "[[" not in word else [word] for word in written]
    ends = [0, *accumulate(map(len, alone))]
    return _mapped(ends, [_plain(word) for words in alone for word in words], [_plain(word) for word in spoken])


def _words(written: Sequence[str], edges: Sequence[int], places: Sequence[int]) -> Iterator[Word]:
    for text, start, end in zip(written, edges, edges[1:], strict=False):
        if start < end:
            yield Word(text, places[start], places[end - 1] + 1)
        else:  # it is not heard
            place = places[start] if start < len(places) else places[-1] + 1 if places else 0
            yield Word(text, place, place)


def _mapped(
    places: Sequence[int], before: Sequence[Hashable], after: Sequence[Hashable], stops: Collection[int] = ()
) -> list[int]:
    """Places in one sequence as places in another that differs a little: never backwards, the ends at the ends.

    Within what differs, a place is at the nearest of the stops, or at its share of the length if there is none.
    """
    blocks: list[tuple[str, int, int, int, int]]
    blocks = [*SequenceMatcher(None, before, after, autojunk=False).get_opcodes(), ("end", len(before), 0, 0, 0)]
    found: list[int] = []
    number = 0
    for place in places:
        while blocks[number + 1 : number + 2] and blocks[number + 1][1] <= place:
            number += 1
        tag, start, end, first, last = blocks[number]
        if place == len(before):
            found.append(len(after))
        elif tag == "equal" or place == start:
            found.append(first + place - start)
        else:
            share = first + round((place - start) / (end - start) * (last - first))
            near = [stop for stop in stops if first <= stop <= last]
            found.append(min(near, key=lambda stop: abs(stop - share), default=share))
    return [0, *found[1:]]


def _plain(word: str) -> str:
    return "".join(character for character in word.casefold() if character.isalnum()) or word


def _is_sound(phoneme: str) -> bool:
    return not unicodedata.category(phoneme[0]).startswith(_SILENT)
