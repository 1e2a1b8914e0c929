"""Running heads and page numbers: what stands at the same place on many pages."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from voxmatrix.book.read.marks import NUMBERED_WORDS, ROMAN, number_of
from voxmatrix.book.read.pdf.document import Page, Run

#: How many lines are looked at above and below.
_DEEP = 3
#: In points.
_SAME_HEIGHT, _ONE_LINE = 3.0, 2.0
#: The text of a running head stands on as many other pages, none of which is further away.
_OTHERS, _NEAR = 2, 12
_VOTES = 3
#: In ems, between the text and what is none of it.
_GAP, _OTHER_SIZE = 1.4, 0.1
_MAX_HEAD = 100
#: Of the size of the text: larger numbers are those of chapters.
_LARGER = 1.1
#: How many votes a page has whose number stands alone.
_ALONE, _NOT_NUMBER = 2, re.compile(r"[^\W\d_]{2}|\w\s+\w")
#: A place at which most pages have a running head has one on all of them.
_MOST = 0.6
_NUMBER = rf"\d{{1,5}}|{ROMAN}"
_AT_START = re.compile(
    rf"\W*(?:(?:page|seite|sida|p\.|s\.)\s*)?({_NUMBER})(?!\w)(?:\s*(?:of|/|von|av|sur|de)\s*\d+)?\W*", re.I
)
_AT_END = re.compile(
    rf"\W*(?<!\w)(?:(?:page|seite|sida|p\.|s\.)\s*)?({_NUMBER})(?:\s*(?:of|/|von|av|sur|de)\s*\d+)?\W*$", re.I
)

_OF_CHAPTER = re.compile(rf"(?i)(?:{NUMBERED_WORDS})\W*$")


@dataclass
class _Band:
    """A line over the whole width of a page, at its top or its bottom."""

    page: int
    runs: list[Run]
    text: str
    base: float
    size: float
    #: As counted from the outside.
    place: int
    at_top: bool
    furniture: bool = False


class _Offset(NamedTuple):
    """By how much a number at a place on the page, Roman or not, is more than that of the page."""

    at_top: bool
    place: int
    is_roman: bool
    more: int


def without_furniture(pages: Sequence[Page], size: float) -> list[Page]:
    """The pages without running heads and page numbers; `size` is that of the text."""
    bands = [band for page in pages for band in _bands(page)]
    small = [band for band in bands if band.size <= _LARGER * size]
    offsets = _offsets(small)
    best = _best(small, offsets)
    numbered = {id(band) for band in small if _has_number(band, offsets, best)}
    texts = {id(band): "" if id(band) in numbered else band.text.casefold() for band in bands}
    for at_top in (True, False):
        for place in range(_DEEP):
            _recognise([band for band in bands if (band.at_top, band.place) == (at_top, place)], texts)
    removed = {id(run) for band in _outermost(bands) for run in band.runs}
    return [replace(page, runs=tuple(run for run in page.runs if id(run) not in removed)) for page in pages]


def _bands(page: Page) -> Iterator[_Band]:
    lines: list[list[Run]] = []
    for run in sorted(page.runs, key=lambda run: run.base):
        if lines and run.base - lines[-1][-1].base <= _ONE_LINE:
            lines[-1].append(run)
        else:
            lines.append([run])
    for at_top, edge in ((True, lines[: _DEEP + 1]), (False, lines[::-1][: _DEEP + 1])):
        for place, runs in enumerate(edge):
            ordered = sorted(runs, key=lambda run: run.left)
            text = " ".join(" ".join(run.text for run in ordered).split())
            yield _Band(page.number, runs, text, runs[0].base, max(run.size for run in runs), place, at_top)


def _offsets(bands: Sequence[_Band]) -> dict[_Offset, int]:
    """By how much the numbers at a place are more than those of the pages."""
    votes = {(band.page, offset): not _NOT_NUMBER.search(band.text) for band in bands for offset in _numbers(band)}
    counted: Counter[_Offset] = Counter()
    for (page, offset), is_alone in votes.items():
        if any((page + step, offset) in votes for step in (-2, -1, 1, 2)):
            counted[offset] += _ALONE if is_alone else 1
    return {offset: count for offset, count in counted.items() if count >= _VOTES}


def _numbers(band: _Band) -> Iterator[_Offset]:
    """What a number at the start or the end may be as the number of the page."""
    if len(band.text) > _MAX_HEAD:
        return
    for match in (_AT_START.match(band.text), _AT_END.search(band.text)):
        if match and match[1] and not _OF_CHAPTER.search(band.text[: match.start(1)]):
            yield _Offset(band.at_top, band.place, not match[1].isdigit(), number_of(match[1]) - band.page)


def _best(bands: Sequence[_Band], offsets: dict[_Offset, int]) -> dict[int, int]:
    """By page, how much its number is more than that of the PDF: a page has one number; others count what it has."""
    found: dict[int, tuple[int, int]] = {}
    for band in bands:
        for offset in _numbers(band):
            if offset in offsets:
                found[band.page] = max(found.get(band.page, (0, 0)), (offsets[offset], offset.more))
    return {page: more for page, (_, more) in found.items()}


def _has_number(band: _Band, offsets: dict[_Offset, int], best: dict[int, int]) -> bool:
    """Whether a short line begins or ends with the number of its page."""
    return any(one in offsets and one.more == best.get(band.page) for one in _numbers(band))


def _recognise(bands: Sequence[_Band], texts: dict[int, str]) -> None:
    """Mark the bands of one place, in the order of their pages, that are furniture."""
    by_text: dict[str, list[_Band]] = {}
    for band in bands:
        by_text.setdefault(texts[id(band)], []).append(band)
    for text, alike in by_text.items():
        for index, band in enumerate(alike):
            near = alike[max(0, index - _NEAR) : index + _NEAR + 1]
            band.furniture = not text or sum(_is_near(band, other) for other in near) > _OTHERS
    by_height: dict[int, list[_Band]] = {}
    for band in bands:
        by_height.setdefault(round(band.base / 2), []).append(band)
    for level in by_height.values():
        confirmed = [band for band in level if band.furniture]
        if len(confirmed) >= max(_VOTES, _MOST * len(level)):
            for band in level:
                band.furniture = band.furniture or _same_place(band, confirmed[0])


def _is_near(band: _Band, other: _Band) -> bool:
    return abs(band.page - other.page) <= _NEAR and abs(band.base - other.base) <= _SAME_HEIGHT


def _same_place(band: _Band, other: _Band) -> bool:
    return abs(band.base - other.base) <= 1 and abs(band.size - other.size) <= _OTHER_SIZE * band.size


def _outermost(bands: Sequence[_Band]) -> Iterator[_Band]:
    """Those that have none but furniture outside of them, and that a gap or their size divides from the text."""
    sides: dict[tuple[int, bool], list[_Band]] = {}
    for band in bands:
        sides.setdefault((band.page, band.at_top), []).append(band)
    for side in sides.values():
        found = list(takewhile(lambda band: band.furniture, side))
        while found and len(found) < len(side) and not _are_apart(found[-1], side[len(found)]):
            found.pop()
        yield from found


def _are_apart(band: _Band, following: _Band) -> bool:
    size = max(band.size, following.size)
    return abs(band.base - following.base) > _GAP * size or abs(band.size - following.size) > _OTHER_SIZE * size
