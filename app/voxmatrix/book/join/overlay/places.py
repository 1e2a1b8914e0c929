"""Where each sentence that is spoken stands in the documents of the author."""

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from voxmatrix.book.join.overlay.alignment import align
from voxmatrix.book.join.overlay.words import PARAGRAPH_END, Vocabulary, Words

#: Words of a sentence with more in between are not all of it: a word of it was found elsewhere by chance.
_TIMES_ITS_LENGTH, _MORE = 3, 20
#: So many of its words must be found.
_FEWEST = 1 / 3
_BLANKS = f" \t\r\n{PARAGRAPH_END}"
#: Longer rows of marks are ornaments.
_MOST_MARKS = 20
_ATTACHED_BEFORE = re.compile(rf"[^\w{_BLANKS}]*$")
_ATTACHED_BEHIND = re.compile(rf"[^\w{_BLANKS}]{{0,{_MOST_MARKS}}}")
#: In French, there is a blank before these marks.
_APART_BEHIND = re.compile(r"(?:[ \u00a0\u202f]?[!?;:\u00bb\u2026]+(?=\s|$))*")
_OPENING = ("Ps", "Pi")


class Place(NamedTuple):
    """The words of a sentence in a document, from the first to the last one that was found."""

    sentence: int
    first: int
    last: int
    #: So many words before the first one and behind the last one were not found.
    before: int
    behind: int


class Stretch(NamedTuple):
    """A piece of the flat text of a document, without the end of a paragraph, that belongs to a sentence."""

    sentence: int
    start: int
    end: int


def find_places(sentences: Iterable[str], documents: Sequence[Words], vocabulary: Vocabulary) -> dict[int, list[Place]]:
    """The places of sentences by the indexes of the documents. A sentence may have none, or one in each of several."""
    spoken = array("l")
    ends: list[int] = []
    for sentence in sentences:
        spoken.extend(vocabulary.words(sentence).numbers)
        ends.append(len(spoken))
    source = array("l")
    for document in documents:
        source.extend(document.numbers)
    found = align(spoken, source)
    starts = list(accumulate((len(document.numbers) for document in documents), initial=0))
    places: dict[int, list[Place]] = defaultdict(list)
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        for index, place in _of_sentence(number, found[start:end], starts):
            places[index].append(place)
    return places


def _of_sentence(sentence: int, found: Sequence[int], starts: Sequence[int]) -> Iterator[tuple[int, Place]]:
    numbers = _densest([number for number, place in enumerate(found) if place >= 0], found)
    if not numbers or len(numbers) < _FEWEST * len(found):
        return
    before, behind = numbers[0], len(found) - 1 - numbers[-1]
    by_document: dict[int, list[int]] = defaultdict(list)
    for number in numbers:
        by_document[bisect_right(starts, found[number]) - 1].append(found[number])
    for index, words in by_document.items():
        start = starts[index]
        yield index, Place(sentence, words[0] - start, words[-1] - start, before, behind)


def _densest(numbers: Sequence[int], found: Sequence[int]) -> Sequence[int]:
    """Of the words that were found, the largest group without a large gap."""
    most = _TIMES_ITS_LENGTH * len(found) + _MORE
    groups: list[list[int]] = []
    for number in numbers:
        if not groups or found[number] - found[groups[-1][-1]] > most:
            groups.append([])
        groups[-1].append(number)
    return max(groups, key=len, default=[])


def stretches(places: Sequence[Place], words: Words, text: str) -> list[Stretch]:
    """The text of the sentences of a document, with the marks around it; one stretch for each of its paragraphs."""
    found: list[Stretch] = []
    free = 0
    for place, following in zip(places, [*places[1:], None], strict=False):
        first = _earlier(place, words, text, free)
        most = words.starts[following.first] if following else len(text)
        last = _later(place, words, text, most)
        before = text[max(free, words.starts[first] - _MOST_MARKS) : words.starts[first]]
        attached = _ATTACHED_BEFORE.search(before)
        start = words.starts[first] - (len(attached[0]) if attached else 0)
        end = _end(text, words.ends[last], most)
        free = max(free, end)
        found += _paragraphs(place.sentence, text, start, end)
    return found


def _earlier(place: Place, words: Words, text: str, free: int) -> int:
    """The first word: with those before it that were not found, as far as they are in its paragraph."""
    first = place.first
    for _ in range(place.before):
        if first == 0 or words.starts[first - 1] < free or _divided(text, words, first - 1):
            break
        first -= 1
    return first


def _later(place: Place, words: Words, text: str, most: int) -> int:
    last = place.last
    for _ in range(place.behind):
        if last + 1 == len(words.ends) or words.ends[last + 1] > most or _divided(text, words, last):
            break
        last += 1
    return last


def _divided(text: str, words: Words, number: int) -> bool:
    """Whether a paragraph ends behind a word."""
    return PARAGRAPH_END in text[words.ends[number] : words.starts[number + 1]]


def _end(text: str, end: int, most: int) -> int:
    """The end of a sentence, behind its marks: those that open belong to the next one."""
    attached = _ATTACHED_BEHIND.match(text, end, most)
    stop = attached.end() if attached else end
    opening = (place for place in range(end, stop) if unicodedata.category(text[place]) in _OPENING)
    stop = next(opening, stop)
    apart = _APART_BEHIND.match(text, stop, most)
    return apart.end() if apart else stop


def _paragraphs(sentence: int, text: str, start: int, end: int) -> Iterator[Stretch]:
    for part in re.finditer(f"[^{PARAGRAPH_END}]+", text[start:end]):
        inner = part[0].strip()
        if any(map(str.isalnum, inner)):
            begin = start + part.start() + len(part[0]) - len(part[0].lstrip())
            yield Stretch(sentence, begin, begin + len(inner))
