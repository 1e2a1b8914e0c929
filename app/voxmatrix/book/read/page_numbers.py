"""Numbers of pages that a conversion left between the paragraphs. Numbers of chapters, which look alike, stay."""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, pstdev

from voxmatrix.book.read.passage import Document, Passage

KIND = "page-numbers"
#: `[12]`, `- 12 -`, `Page 12 of 300`, `12 | Page`: never the number of a chapter.
_SURE = re.compile(
    r"[\[({<|]\s?(?:page |p\. ?|pg\.? ?)?(\d{1,4})\s?[\])}>|]|[-\u2013\u2014~]\s?(\d{1,4})\s?[-\u2013\u2014~]"
    r"|(?:page|pg?\.|seite|s\.|sida|sidan|p\u00e1gina|p\u00e1g\.|pagina|side|strona)\s?(\d{1,4})"
    r"(?:\s?(?:of|/|von|av|de|sur|di|van|z)\s?\d{1,4})?\.?|(\d{1,4})\s?(?:\|\s?page|/\s?\d{1,4}|of \d{1,4})",
    re.IGNORECASE,
)
#: Without them, `- 1 -` and `(1)` may be the number of a chapter.
_WORD = re.compile(r"[^\W\d_]|/")
_BARE = re.compile(r"(\d{1,4})")
_FEWEST, _FEWEST_BARE = 3, 4
#: Between two numbers of pages there may be pages without one.
_MAX_STEP = 12
_ENDS_SENTENCE = re.compile(r"[.!?:;\u2026\u3002\u201d\u00bb\"'\u2019)\]*]\s*$")
#: Of the places of numbers, how many are within sentences at least.
_BROKEN = 0.15
#: In characters: a page, and how much pages may differ.
_PAGE, _MAX_DEVIATION, _MANY = range(700, 5000), 0.35, 10
#: In characters: numbers from 1 with less between them are those of verses or laws; from here on, numbers are years.
_LEAST, _FIRST_YEAR = 350, 1000
#: The end of a text, in which its last sign is looked for.
_END = 20


def recognise(documents: Sequence[Document]) -> None:
    """Add the kind `page-numbers` to numbers of pages, and join the sentences that they divide."""
    everything = [passage for document in documents for passage in document.passages]
    passages = [passage for passage in everything if not passage.kinds]
    behind = {id(one): id(other) for one, other in pairwise(everything)}
    found = _sequence([(place, number) for place, one in enumerate(passages) if (number := _sure(one))])
    says_so = sum(_WORD.search(passages[place].text) is not None for place, _ in found) * 2 > len(found)
    numbers = found if len(found) >= _FEWEST and (says_so or found[0][1] > 1 or _are_pages(passages, found)) else []
    if not numbers:
        bare = [
            (place, int(one.text)) for place, one in enumerate(passages) if not one.level and _BARE.fullmatch(one.text)
        ]
        found = _sequence(bare)
        numbers = found if len(found) >= _FEWEST_BARE and _are_pages(passages, found) else []
    for place, _ in numbers:
        passages[place].kinds = (KIND,)
        if (
            0 < place < len(passages) - 1
            and _is_broken(passages, place)
            and behind[id(passages[place - 1])] == id(passages[place])  # no table or picture stands between
        ):
            _join(passages[place - 1], passages[place + 1])


def _sure(passage: Passage) -> int:
    match = None if passage.level else _SURE.fullmatch(passage.text)
    return int(next(filter(None, match.groups()))) if match else 0


def _sequence(numbers: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of numbers that rise by little, most of them by one."""
    best: list[tuple[int, int]] = []
    chain: list[tuple[int, int]] = []
    for place, number in numbers:
        if chain and not 0 < number - chain[-1][1] <= _MAX_STEP:
            best, chain = max(best, chain, key=len), []
        chain.append((place, number))
    return max(best, chain, key=len)


def _are_pages(passages: Sequence[Passage], numbers: Sequence[tuple[int, int]]) -> bool:
    """Whether numbers alone are those of pages.

    They divide sentences, do not begin where chapters begin, stand between the headings of chapters, or leave the same
    length of text between them.
    """
    places = [place for place, _ in numbers]
    inner = [place for place in places if 0 < place < len(passages) - 1]
    lengths = [sum(len(one.text) for one in passages[first + 1 : second]) for first, second in pairwise(places)]
    before = sum(len(one.text) for one in passages[: places[0]])
    if (numbers[0][1] == 1 and fmean(lengths) < _LEAST) or numbers[0][1] >= _FIRST_YEAR:
        return False
    if sum(_is_broken(passages, place) for place in inner) >= max(1, _BROKEN * len(inner)):
        return True
    if any(passages[place - 1].level for place in places if place):  # directly below a heading: a chapter of a part
        return False
    headings = sum(1 for passage in passages[places[0] : places[-1]] if passage.level)
    if headings > 1:
        return headings * 2 <= len(numbers) and (numbers[0][1] > 1 or before in _PAGE)
    alike = pstdev(lengths) <= _MAX_DEVIATION * fmean(lengths)
    fits = before in _PAGE and before >= fmean(lengths) / 2
    return len(numbers) >= _MANY and int(fmean(lengths)) in _PAGE and alike and (numbers[0][1] > 1 or fits)


def _is_broken(passages: Sequence[Passage], place: int) -> bool:
    """Whether a number stands within a sentence."""
    before, after = passages[place - 1], passages[place + 1]
    plain = not before.level and not after.level and not after.kinds
    return plain and not _ENDS_SENTENCE.search(before.text[-_END:]) and after.text[:1].islower()


def _join(before: Passage, after: Passage) -> None:
    """Put both parts of a paragraph into the second one, whose place chapters may begin behind."""
    divided = re.search(r"[^\W\d_]-$", before.text[-_END:])
    after.text = f"{before.text[:-1]}{after.text}" if divided else f"{before.text} {after.text}"
    before.text = ""
