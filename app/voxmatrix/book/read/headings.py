"""Chapters by the headings of a text without contents: parts and chapters in them, as the contents would name them."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

from voxmatrix.book.kinds import SECTIONS
from voxmatrix.book.read.chapters import (
    SHORT_CHAPTER,
    Start,
    by_contents,
    joined_titles,
    left_out_as,
    lengths_of,
    not_too_many,
    offsets_of,
)
from voxmatrix.book.read.epub_contents import ContentsEntry
from voxmatrix.book.read.marks import CHAPTER_WORDS, NUMBER_LINE, NUMBERED_WORDS, PART_WORDS, ROMAN, joined_lines
from voxmatrix.book.read.passage import Document
from voxmatrix.book.read.plain_headings import mark_headings
from voxmatrix.errors import Finding

_NAMED_PART, _NAMED_CHAPTER, _NAMED = (
    re.compile(rf"(?:{words})\b|\w+\s+(?:{words})\b", re.IGNORECASE)
    for words in (PART_WORDS, CHAPTER_WORDS, NUMBERED_WORDS)
)
_NUMBERED = re.compile(rf"(?:{ROMAN}|\d{{1,3}})(?!\w)")
#: Of the text of a part, what may stand before its first chapter; and how much of a book is in parts, if it has some.
_MAX_BEFORE_CHAPTERS, _MIN_IN_PARTS = 0.1, 0.5
#: In characters: shorter ones are sections, unless their names or those above them say what they are.
_LONG_ENOUGH = 1500
_MOSTLY = 0.6
_BYLINE = re.compile(r"(?i)(?:by|von|par|por|door|av|af|di)\s+\w")
#: Of headings of a level, contents that list any list so many.
_LISTED = 0.5


@dataclass
class _Heading:
    position: int
    text: str
    level: int
    #: Counts the groups of headings between which there is no text.
    group: int
    #: Whether it is a line of the title of the book.
    is_title: bool = False

    @property
    def letters(self) -> str:
        return _letters(self.text)


def by_contents_or_headings(
    documents: Sequence[Document], entries: Sequence[ContentsEntry], kinds: Collection[str], findings: list[Finding]
) -> list[Start]:
    """Where the contents lead; or the headings, where the contents list one place, or few of the chapters.

    Calibre writes such contents into files without any: one line called `Start`, the headings that have certain English
    words, or the first fifty links. `findings` gets what is wrong in the contents.
    """
    listed = by_contents(documents, entries, findings)
    few = len(listed) > 1 and _are_few(listed, documents, kinds)
    if len(listed) > 1 and not few:
        return listed
    found = by_headings(documents, kinds)
    if len(found) <= len(listed):
        return listed or found
    if few:
        problem = f"the contents list {len(listed)} of {len(found)} chapters: they begin at their headings"
        remedy = "see the chapters: voxmatrix book inspect BOOK"
        findings.append(Finding(problem=problem, remedy=remedy, severity="warning"))
    return found


def _are_few(listed: Sequence[Start], documents: Sequence[Document], kinds: Collection[str]) -> bool:
    """Whether most long sections with headings like those that are listed are not.

    Numbers alone are the sections of a story, and short sections those of a chapter.
    """
    places = {start.position for start in listed}
    headings = list(_headings(documents, kinds))
    levels = {heading.level for heading in headings if heading.position in places}
    alike = [
        heading
        for heading in headings
        if heading.position in places
        or (heading.level in levels and not NUMBER_LINE.fullmatch(heading.text.strip(" .:")))
    ]
    hit = sum(heading.position in places for heading in alike)
    return bool(hit) and hit < _LISTED * len(alike) and sum(lengths_of(documents)) >= SHORT_CHAPTER * len(alike)


def by_headings(documents: Sequence[Document], kinds: Collection[str]) -> list[Start]:
    """A start at each heading of the highest level that occurs twice, or of the highest, or else at each document.

    Where there are no headings, paragraphs are, whose words say so. Where nearly all text of such parts stands under
    headings of the next level, these are the chapters. Headings of what is left out do not count, nor do lines of title
    pages; `kinds` are those that are read.
    """
    headings = list(_of_two_lines(list(_headings(documents, kinds))))
    if not headings and mark_headings([one for document in documents for one in document.passages]):
        headings = list(_of_two_lines(list(_headings(documents, kinds))))
    if not headings:
        return [
            Start(offset, document.title, 1, None)
            for offset, document in zip(offsets_of(documents), documents, strict=False)
            if document.passages and (document.title or len(documents) == 1)
        ]
    named = {_letters(document.title) for document in documents if document.title}
    _find_titles(headings, named if len(named) == 1 else set())
    counted = [heading for heading in headings if not heading.is_title] or headings
    levels = Counter(heading.level for heading in counted)
    top = next((level for level in sorted(levels) if levels[level] > 1), min(levels))
    ends = list(accumulate(lengths_of(documents), initial=0))
    return not_too_many(list(_starts(headings, counted, top, _lowest(counted, top, ends))), ends)


def _headings(documents: Sequence[Document], kinds: Collection[str]) -> Iterator[_Heading]:
    position = group = 0
    for document in documents:
        group += 1
        for passage in document.passages:
            left_out = left_out_as(passage, [*kinds, "headings"])
            if passage.level and not left_out:
                yield _Heading(position, passage.text, passage.level, group)
            elif not left_out or left_out in SECTIONS:
                group += 1
            position += 1


def _of_two_lines(headings: Sequence[_Heading]) -> Iterator[_Heading]:
    """A number and its title, which are two headings of the same level, as one."""
    last: _Heading | None = None
    for heading in headings:
        if last and _follows(heading, last) and NUMBER_LINE.fullmatch(last.text.strip(" .:")):
            last = _Heading(
                last.position, joined_lines([last.text, heading.text], heading=True), last.level, last.group
            )
        else:
            if last:
                yield last
            last = heading
    if last:
        yield last


def _follows(heading: _Heading, last: _Heading) -> bool:
    same = (heading.group, heading.level) == (last.group, last.level)
    return same and not _NAMED.match(heading.text) and not _NUMBERED.match(heading.text)


def _find_titles(headings: Sequence[_Heading], titles: set[str]) -> None:
    """Mark the lines of the title page: several of a level, one behind the other; and where they come again."""
    page = [heading for heading in headings if heading.group == headings[0].group]
    if not all(first.level < second.level for first, second in pairwise(page)):
        levels = Counter(heading.level for heading in page)
        for heading in page:
            heading.is_title = levels[heading.level] > 1 and not _is_numbered(heading)
        marked = _marked(page)
        others = {heading.level for heading in headings[len(page) :] if heading.letters not in marked}
        page[-1].is_title = page[-1].is_title and page[-1].level not in others
    for heading in page[1:]:
        heading.is_title = heading.is_title or _BYLINE.match(heading.text) is not None
    titles |= _marked(page)
    if sum(heading.level == headings[0].level for heading in headings) == 1:
        titles.add(headings[0].letters)
    levels_of = {heading.letters: heading.level for heading in reversed(page)}
    followed = {first.position for first, second in pairwise(headings) if first.group == second.group}
    before: set[int] = set()
    for heading in headings[len(page) :]:
        if not _is_numbered(heading) and heading.letters in titles:
            same_level = levels_of.get(heading.letters) == heading.level
            #: Among others of its level, it is the story that the book is called by.
            heading.is_title = same_level or (heading.position in followed and heading.level not in before)
        if not heading.is_title:
            before.add(heading.level)


def _marked(page: Sequence[_Heading]) -> set[str]:
    return {heading.letters for heading in page if heading.is_title}


def _is_numbered(heading: _Heading) -> bool:
    return bool(_NAMED.match(heading.text) or _NUMBERED.match(heading.text))


def _lowest(headings: Sequence[_Heading], level: int, ends: Sequence[float]) -> int:
    """The level of the chapters, from that of the parts: `level` itself if these are chapters."""
    for below in sorted({heading.level for heading in headings if heading.level > level}):
        if _are_chapters(headings, level, below, ends):
            level = below
    return level


def _are_chapters(headings: Sequence[_Heading], level: int, below: int, ends: Sequence[float]) -> bool:
    """Whether the headings of the level `below` are chapters of the parts of `level`."""
    upper = [heading for heading in headings if heading.level <= level]
    positions = [heading.position for heading in headings]
    parts, inside, before, whole, total = [], [], 0.0, 0.0, 0.0
    for heading, following in pairwise([*upper, None]):
        if heading is None:
            continue
        end = following.position if following else len(ends) - 1
        inner = headings[bisect_right(positions, heading.position) : bisect_left(positions, end)]
        within = [one for one in inner if one.level == below]
        total += ends[end] - ends[heading.position]
        if within:
            parts.append(heading)
            inside += within
            before += ends[within[0].position] - ends[heading.position + 1]
            whole += ends[end] - ends[heading.position]
    if len(inside) < 2 or before > _MAX_BEFORE_CHAPTERS * whole or whole < _MIN_IN_PARTS * total:
        return False
    return _named_so(parts, inside) or (not _mostly(parts, _NAMED_CHAPTER) and whole >= _LONG_ENOUGH * len(inside))


def _named_so(parts: Sequence[_Heading], chapters: Sequence[_Heading]) -> bool:
    """Whether the names say so; or each of the chapters of the upper level has its title below."""
    if len(parts) == len(chapters):
        return all(part.group == chapter.group for part, chapter in zip(parts, chapters, strict=True))
    return not _mostly(parts, _NAMED_CHAPTER) and (_mostly(chapters, _NAMED_CHAPTER) or _mostly(parts, _NAMED_PART))


def _mostly(headings: Sequence[_Heading], pattern: re.Pattern[str]) -> bool:
    return sum(pattern.match(heading.text) is not None for heading in headings) >= _MOSTLY * len(headings)


def _starts(headings: Sequence[_Heading], counted: Sequence[_Heading], top: int, lowest: int) -> Iterator[Start]:
    """A start for each heading, or for a part together with its first chapter; a title before them belongs to it."""
    wanted = [heading for heading in counted if heading.level <= lowest]
    firsts = {heading.group: heading for heading in reversed(headings)}
    for number, (group, members) in enumerate(groupby(wanted, key=lambda heading: heading.group)):
        first = firsts[group]
        together: list[Start] = []
        for heading in members:
            is_new = not together or heading.level <= together[-1].level or together[-1].level < top
            if is_new and together:
                yield _joined(together)
                together = []
            before_it = first.position if number and first.is_title and not together else heading.position
            together.append(Start(before_it, heading.text, heading.level, None))
            first = heading
        yield _joined(together)


def _joined(starts: Sequence[Start]) -> Start:
    return Start(starts[0].position, joined_titles(starts), starts[0].level, None)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
