"""Passages to chapters, where the lines of the contents lead to."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from voxmatrix.book.content import Chapter, Speech
from voxmatrix.book.kinds import KINDS, SECTIONS, PartsOfKind
from voxmatrix.book.read.epub_contents import ContentsEntry
from voxmatrix.book.read.marks import ROMAN, spoken_heading, urls_in, without_urls
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.plays import KIND as STAGE
from voxmatrix.book.read.plays import continue_speeches, said
from voxmatrix.book.read.verse_numbers import without_verses
from voxmatrix.errors import Finding
from voxmatrix.wording import pluralise, quoted

#: A contents with more lines is a list of sections, unless they are long: then its deepest level is not used.
MANY_CHAPTERS = 100
#: Some four minutes, in letters.
SHORT_CHAPTER = 3000
#: Signs of Chinese and Japanese, and how many letters take as long.
_SIGN, _LETTERS_OF_A_SIGN = re.compile("[\u3040-\u30ff\u3400-\u9fff]"), 2.3
_BEGINNING, _MAX_TITLE = 80, 150
#: Left out with the heading above them, if there is nothing else below it.
_HEADED = SECTIONS - {"boilerplate"}
_CHECK = "see the chapters: voxmatrix book inspect BOOK"


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
    documents: Sequence[Document], entries: Sequence[ContentsEntry], findings: list[Finding]
) -> list[Start]:
    """Where the lines of the contents lead, in the order of the text.

    Args:
        documents: the whole text.
        entries: the lines of the contents.
        findings: gets those that lead to nowhere, and those that are too many.
    """
    texts = [passage.text for document in documents for passage in document.passages]
    offsets = dict(zip((document.path for document in documents), offsets_of(documents), strict=False))
    by_path = {document.path: document for document in documents}
    starts = []
    for entry in entries:
        document = by_path.get(entry.link.path)
        if document is None:
            findings.append(_lost(entry, f"{entry.link.path}, which is not in the reading order"))
            continue
        index = document.anchors.get(entry.link.anchor) if entry.link.anchor else 0
        if index is None:
            findings.append(_lost(entry, f"#{entry.link.anchor}, which is not in {entry.link.path}"))
        position = offsets[entry.link.path] + (index or 0)
        title = _named(entry.title, texts[position] if position < len(texts) else "")
        starts.append(Start(position, title, entry.level, entry.link, guessed=index is None))
    starts.sort(key=lambda start: start.position)
    kept = not_too_many(starts, list(accumulate(lengths_of(documents), initial=0)))
    if len(kept) < len(starts):
        problem = f"the contents have {len(starts)} lines, {len(starts) - len(kept)} of them for short sections"
        findings.append(
            Finding(problem=f"{problem}: these are parts of the chapters above them", remedy=_CHECK, severity="warning")
        )
    return _merged(kept)


_NUMBER, _PAGE = re.compile(rf"(?:{ROMAN}|\d{{1,3}})\.?"), re.compile(r"[\s.\u2026]+(?:\d{1,4}|[ivxlc]+)")


def _named(title: str, text: str) -> str:
    """A title of the contents without the number of its page, or with what the heading has behind its number."""
    if title.startswith(text) and _PAGE.fullmatch(title, len(text)):
        return text
    number = title.rstrip(".")
    is_longer = len(text) <= _MAX_TITLE and text.startswith((f"{number}. ", f"{number}: "))
    return text if is_longer and _NUMBER.fullmatch(title) else title


def _lost(entry: ContentsEntry, where: str) -> Finding:
    problem = f"the contents list {quoted(entry.title)} at {where}"
    return Finding(problem=problem, remedy="check where that chapter begins", severity="warning")


def offsets_of(documents: Sequence[Document]) -> list[int]:
    """Where each document begins, in passages."""
    return list(accumulate((len(document.passages) for document in documents), initial=0))


def lengths_of(documents: Sequence[Document]) -> Iterable[float]:
    """The lengths of the passages, in letters of an alphabet."""
    texts = (passage.text for document in documents for passage in document.passages)
    return (len(text) + (_LETTERS_OF_A_SIGN - 1) * len(_SIGN.findall(text)) for text in texts)


def not_too_many(starts: list[Start], ends: Sequence[float]) -> list[Start]:
    """While there are many chapters, leave out the deepest lines whose sections are short beside those around them.

    `ends` are the lengths of the text before each position.
    """
    while len(starts) > MANY_CHAPTERS:
        groups = _groups(starts, ends)
        short = [group for group in groups if group.level > 1 and group.mean < SHORT_CHAPTER]
        if not short:
            break
        deepest = max(group.level for group in short)
        dropped = {number for group in short if group.level == deepest for number in group.members}
        starts = [start for number, start in enumerate(starts) if number not in dropped]
    return starts


class _Group(NamedTuple):
    """Neighbouring lines of one level below one line."""

    level: int
    members: list[int]
    mean: float


def _groups(starts: Sequence[Start], ends: Sequence[float]) -> list[_Group]:
    found: dict[tuple[int, ...], list[int]] = {}
    above: list[int] = []
    for number, start in enumerate(starts):
        while above and starts[above[-1]].level >= start.level:
            above.pop()
        found.setdefault(tuple(above), []).append(number)
        above.append(number)
    positions = [*(start.position for start in starts), len(ends) - 1]
    return [
        _Group(
            starts[members[0]].level if parents else 1,
            members,
            sum(ends[positions[number + 1]] - ends[positions[number]] for number in members) / len(members),
        )
        for parents, members in found.items()
    ]


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
        merged[-1] = Start(start.position, joined_titles(titles), start.level, start.target, start.guessed)
    return merged


def joined_titles(starts: Sequence[Start]) -> str:
    """The title of a chapter whose lines of the contents, or headings, come together."""
    names = [start.title for start in starts]
    return ": ".join(name for name, below in zip(names, [*names[1:], ""], strict=True) if not below.startswith(name))


def left_out_as(passage: Passage, kinds: Collection[str]) -> str:
    """The kind as which a passage is left out, or nothing if it is read."""
    return next((kind for kind in _kinds(passage) if kind not in kinds), "")


def _kinds(passage: Passage) -> tuple[str, ...]:
    return (*passage.kinds, "headings") if passage.level else passage.kinds


def divide(
    documents: Sequence[Document], starts: Sequence[Start], title: str, kinds: Collection[str]
) -> tuple[Chapter, ...]:
    """The chapters with their text. Text before the first start is a chapter named by its heading, or like the book."""
    passages = [passage for document in documents for passage in document.passages]
    continue_speeches(passages)  # what is a heading by its words only is known by now
    if not starts or starts[0].position > 0:
        before = passages[: starts[0].position] if starts else passages
        first = _first_heading(before, kinds)
        starts = [Start(0, title if _letters(first) in _letters(title) else first, 1, None), *starts]
    found: list[tuple[str, list[Passage]]] = []
    for start, following in pairwise([*starts, Start(len(passages), "", 1, None)]):
        part = passages[start.position : following.position]
        spoken = [one for one in part if not left_out_as(one, kinds) and _spoken(one, kinds)]
        left_out = [(kind, one.level) for one in part if (kind := left_out_as(one, kinds)) in _HEADED]
        has_its_own = bool(left_out) and left_out[0][0] == "contents" and left_out[0][1] > 0
        only_its_heading = bool(left_out) and not has_its_own and all(passage.level for passage in spoken)
        if spoken and not only_its_heading:
            found.append((start.title or title, spoken))
    return tuple(_chapter(index, name, spoken, kinds) for index, (name, spoken) in enumerate(found, start=1))


def _chapter(index: int, title: str, passages: Iterable[Passage], kinds: Collection[str]) -> Chapter:
    """A chapter with the text of its passages, and who says it in a play."""
    paragraphs: list[str] = []
    speeches: list[Speech] = []
    for passage in passages:
        text, own = said(passage, _spoken(passage, kinds), stage=STAGE in kinds)
        if text:
            speeches += (replace(speech, paragraph=len(paragraphs)) for speech in own)
            paragraphs.append(text)
    return Chapter(index, title, tuple(paragraphs), tuple(speeches))


def _spoken(passage: Passage, kinds: Collection[str]) -> str:
    text = passage.text if "verse-numbers" in kinds else without_verses(passage.text, passage.verses)
    text = text if "urls" in kinds else without_urls(text)
    return spoken_heading(text) if passage.level else text


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _first_heading(passages: Sequence[Passage], kinds: Collection[str]) -> str:
    return next((passage.text for passage in passages if passage.level and not left_out_as(passage, kinds)), "")


def parts_of_kinds(documents: Sequence[Document], kinds: Collection[str]) -> tuple[PartsOfKind, ...]:
    """What there is of each kind, in the order of KINDS. What is left out with a section counts as that."""
    found: dict[str, list[str]] = {}
    for passage in (passage for document in documents for passage in document.passages):
        if kind := left_out_as(passage, kinds) or next(iter(_kinds(passage)), ""):
            found.setdefault(kind, []).append(passage.text)
        if not left_out_as(passage, kinds) and (urls := urls_in(passage.text)):
            found.setdefault("urls", []).extend(urls)
        if not left_out_as(passage, kinds) and passage.line.stage and STAGE not in passage.kinds:
            found.setdefault(STAGE, []).extend(passage.text[start:end] for start, end in passage.line.stage)
        if not left_out_as(passage, kinds) and passage.verses:
            found.setdefault("verse-numbers", []).extend(passage.verses)
    return tuple(
        PartsOfKind(kind, kind in kinds, len(texts), sum(map(len, texts)), texts[0][:_BEGINNING])
        for kind in KINDS
        if (texts := found.get(kind))
    )


def formula_findings(documents: Sequence[Document]) -> list[Finding]:
    """A warning if formulas are read as they are written."""
    formulas = sum(document.formulas for document in documents)
    if not formulas:
        return []
    problem = f"{pluralise(formulas, 'formula')} without a description: fractions and powers may be read wrongly"
    return [Finding(problem=problem, remedy="listen to a chapter that has some (`preview`)", severity="warning")]
