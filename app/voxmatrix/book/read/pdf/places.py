"""Where the chapters of a PDF start: at its bookmarks, or else at its headings."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import inf

from voxmatrix.book.content import Chapter
from voxmatrix.book.kinds import PartsOfKind
from voxmatrix.book.read.chapters import by_contents, divide, parts_of_kinds
from voxmatrix.book.read.epub_contents import ContentsEntry
from voxmatrix.book.read.headings import by_headings
from voxmatrix.book.read.markup import Link
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.pdf.document import Bookmark
from voxmatrix.book.read.sections import recognise
from voxmatrix.errors import Finding

#: In points: a bookmark leads to a little above its heading, or below the top of it.
_NEAR = 12.0
_FIRST_PAGES = 6
_MOST_ON_PAGE, _LONGEST = 200, 300


@dataclass(frozen=True)
class Placed:
    """A passage, the page on which it begins, and how far below the top of that."""

    passage: Passage
    page: int
    top: float


def chapters_of(
    placed: Sequence[Placed],
    bookmarks: Sequence[Bookmark],
    title: str,
    authors: Sequence[str],
    kinds: Collection[str],
) -> tuple[tuple[Chapter, ...], tuple[PartsOfKind, ...], list[Finding]]:
    """The chapters, what there is of each kind, and what is wrong with the bookmarks."""
    findings: list[Finding] = []
    firsts = list(accumulate(((one.page, one.top) for one in placed), max))
    leads = [(position, mark) for mark in bookmarks if (position := _position(placed, firsts, mark)) is not None]
    whole = Document("", passages=[one.passage for one in placed])
    positions = {position for position, _ in leads} or {start.position for start in by_headings([whole], kinds)}
    documents, numbers = _documents(placed, positions)
    entries = [ContentsEntry(mark.title, Link(str(numbers[position]), ""), mark.level) for position, mark in leads]
    names: dict[str, list[str]] = {}
    for entry in entries:
        names.setdefault(entry.link.path, []).append(entry.title)
    recognise(documents, {}, names, title, authors)
    starts = by_contents(documents, entries, findings) or by_headings(documents, kinds)
    return divide(documents, starts, title, kinds), parts_of_kinds(documents, kinds), findings


def _position(placed: Sequence[Placed], firsts: Sequence[tuple[int, float]], mark: Bookmark) -> int | None:
    """The passage that a bookmark leads to: the one on its page with its title, or else the next one.

    `firsts` are the pages and places of the passages, notes with the text before them.
    """
    start, end = bisect_left(firsts, (mark.page, -inf)), bisect_left(firsts, (mark.page + 1, -inf))
    for index in range(start, min(end, start + _MOST_ON_PAGE)):
        passage = placed[index].passage
        if _letters(passage.text[:_LONGEST]) == _letters(mark.title) and "notes" not in passage.kinds:
            passage.level = passage.level or min(mark.level, 6)
            return index
    position = bisect_left(firsts, (mark.page, mark.height - _NEAR))
    return position if position < len(placed) else None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _documents(placed: Sequence[Placed], positions: Collection[int]) -> tuple[list[Document], dict[int, int]]:
    """Documents, and their numbers by their positions: chapters, but in front, where each is another thing, pages."""
    first = min(positions, default=len(placed))
    in_front = (index for index in _new_pages(placed) if index < first or placed[index].page <= _FIRST_PAGES)
    cuts = {0, *positions, *in_front}
    documents = [
        Document(str(number), passages=[one.passage for one in placed[start:end]])
        for number, (start, end) in enumerate(pairwise([*sorted(cuts), len(placed)]))
    ]
    return documents, {position: number for number, position in enumerate(sorted(cuts))}


def _new_pages(placed: Sequence[Placed]) -> Iterator[int]:
    return (index for index, (one, other) in enumerate(pairwise(placed), start=1) if one.page != other.page)
