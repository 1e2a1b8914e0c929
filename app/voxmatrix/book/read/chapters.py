"""Passages to chapters: where the contents say, or else where the headings are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from voxmatrix.book.content import Chapter
from voxmatrix.book.read.epub_contents import ContentsEntry
from voxmatrix.book.read.passages import Document, Passage
from voxmatrix.errors import Finding
from voxmatrix.wording import quoted

#: A contents with more lines is a list of sections, unless they are long: then its deepest level is not used.
MANY_CHAPTERS = 100
#: Some four minutes.
SHORT_CHAPTER = 3000


@dataclass(frozen=True)
class Start:
    """Where a chapter starts: at a passage of the whole book, counted from 0."""

    position: int
    title: str
    level: int
    #: Where the line of the contents leads; of two that lead to the same place, the first one counts.
    target: object
    #: Whether the place is a guess.
    guessed: bool = False


def by_contents(
    documents: Sequence[Document], entries: Sequence[ContentsEntry], findings: list[Finding], apart: Iterable[str] = ()
) -> list[Start]:
    """Where the lines of the contents lead, in the order of the text.

    Args:
        documents: the whole text.
        entries: the lines of the contents.
        findings: gets those that lead to nowhere.
        apart: documents that are left out on purpose.
    """
    offsets = dict(zip((document.path for document in documents), _offsets(documents), strict=False))
    by_path = {document.path: document for document in documents}
    starts = []
    for entry in entries:
        document = by_path.get(entry.link.path)
        if document is None:
            if entry.link.path not in apart:
                findings.append(_lost(entry, f"{entry.link.path}, which is not in the reading order"))
            continue
        index = document.anchors.get(entry.link.anchor) if entry.link.anchor else 0
        if index is None:
            findings.append(_lost(entry, f"#{entry.link.anchor}, which is not in {entry.link.path}"))
        position = offsets[entry.link.path] + (index or 0)
        starts.append(Start(position, entry.title, entry.level, entry.link, guessed=index is None))
    return _merged(_not_too_many(sorted(starts, key=lambda start: start.position), sum(_lengths(documents))))


def _lost(entry: ContentsEntry, where: str) -> Finding:
    problem = f"the contents list {quoted(entry.title)} at {where}"
    return Finding(problem=problem, remedy="check where that chapter begins", severity="warning")


def _offsets(documents: Sequence[Document]) -> list[int]:
    return list(accumulate((len(document.passages) for document in documents), initial=0))


def _lengths(documents: Sequence[Document]) -> Iterable[int]:
    return (len(passage.text) for document in documents for passage in document.passages)


def _not_too_many(starts: list[Start], characters: int) -> list[Start]:
    """Leave out the deepest levels while there are many chapters and most of them are short."""
    while len(starts) > MANY_CHAPTERS and characters < SHORT_CHAPTER * len(starts):
        deepest = max(start.level for start in starts)
        fewer = [start for start in starts if start.level < deepest]
        if not fewer:
            break
        starts = fewer
    return starts


def _merged(starts: list[Start]) -> list[Start]:
    """One start a position. A part and its first chapter share their title; else the later line names the text."""
    merged: list[Start] = []
    titles: list[Start] = []
    for start in starts:
        if not merged or merged[-1].position != start.position:
            titles = [start]
            merged.append(start)
            continue
        repeated = start.target == titles[-1].target and start.level <= titles[-1].level
        if repeated or (start.guessed and not titles[-1].guessed):
            continue
        while titles and titles[-1].level >= start.level:
            titles.pop()
        titles.append(start)
        merged[-1] = Start(start.position, _joined(titles), start.level, start.target, start.guessed)
    return merged


def _joined(starts: Sequence[Start]) -> str:
    names = [start.title for start in starts]
    return ": ".join(name for name, below in zip(names, [*names[1:], ""], strict=True) if not below.startswith(name))


def by_headings(documents: Sequence[Document]) -> list[Start]:
    """A start at each heading of the highest level that occurs twice, or of the highest, or else at each document."""
    offsets = _offsets(documents)
    headings = [
        Start(offset + index, passage.text, passage.level, None)
        for offset, document in zip(offsets, documents, strict=False)
        for index, passage in enumerate(document.passages)
        if passage.level
    ]
    levels = [start.level for start in headings]
    repeated = [level for level in sorted(set(levels)) if levels.count(level) > 1] or sorted(set(levels))
    if headings:
        return [start for start in headings if start.level <= repeated[0]]
    return [
        Start(offset, document.title, 1, None)
        for offset, document in zip(offsets, documents, strict=False)
        if document.passages and (document.title or len(documents) == 1)
    ]


def divide(documents: Sequence[Document], starts: Sequence[Start], title: str) -> tuple[Chapter, ...]:
    """The chapters with their text. Text before the first start is a chapter named by its heading, or like the book."""
    passages = [passage for document in documents for passage in document.passages]
    left_out = {
        offset + index
        for offset, document in zip(_offsets(documents), documents, strict=False)
        for index in document.left_out
    }
    if not starts or starts[0].position > 0:
        starts = [
            Start(0, _first_heading(passages[: starts[0].position] if starts else passages) or title, 1, None),
            *starts,
        ]
    found: list[tuple[str, tuple[str, ...]]] = []
    for start, following in pairwise([*starts, Start(len(passages), "", 1, None)]):
        part = passages[start.position : following.position]
        spoken = tuple(passage.text for passage in part if passage.spoken)
        notes = any(not passage.spoken for passage in part) or any(
            place in left_out for place in range(start.position + 1, following.position + 1)
        )
        if spoken and not (notes and all(passage.level for passage in part if passage.spoken)):
            found.append((start.title or title, spoken))
    return tuple(Chapter(index, name, texts) for index, (name, texts) in enumerate(found, start=1))


def _first_heading(passages: Sequence[Passage]) -> str:
    return next((passage.text for passage in passages if passage.level), "")
