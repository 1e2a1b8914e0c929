"""The part of a book that a user wants: chapters, `3-7,9`, or the beginning."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from voxmatrix.book.content import Book, Chapter, Speech
from voxmatrix.book.units import sentences
from voxmatrix.errors import UsageError
from voxmatrix.text.speech.untagged import untagged
from voxmatrix.wording import pluralise as counted
from voxmatrix.wording import quoted
from voxmatrix.work.estimate import estimated_seconds

#: The punctuation at the end of a sentence.
_LAST_MARKS = re.compile(r"[\W_]*\Z")
_PART = re.compile(r"\s*(\d{1,9})?\s*(?:([-\u2013])\s*(\d{1,9})?\s*)?")


def select_chapters(wanted: str, count: int) -> tuple[int, ...]:
    """The numbers of the chapters, from 1, ascending and each once: `3-7,9`, `-2` (to 2), `5-` (from 5).

    Raises:
        UsageError: `wanted` is not such a list, or the book of `count` chapters does not have one of them.
    """
    chosen: set[int] = set()
    for part in wanted.split(","):
        match = _PART.fullmatch(part)
        if match is None or not (match[1] or match[3]):
            raise _invalid(f"{quoted(part.strip())} in {quoted(wanted)} is not a chapter or a range of chapters", count)
        first = int(match[1] or 1)
        last = int(match[3] or count) if match[2] else first
        if not 1 <= first <= last:
            raise _invalid(f"{quoted(part.strip())} selects no chapter", count)
        if last > count:
            raise _invalid(f"there is no chapter {last}: the book has {counted(count, 'chapter')}", count)
        chosen.update(range(first, last + 1))
    return tuple(sorted(chosen))


def beginning(book: Book, language: str, seconds: float) -> Book:
    """The first sentences, of as many chapters as needed, which probably last this long when they are spoken."""
    chapters: list[Chapter] = []
    left = seconds
    for chapter in book.chapters:
        paragraphs, lasts = _first_paragraphs(chapter.paragraphs, language, left)
        if lasts:
            chapters.append(replace(chapter, paragraphs=paragraphs, speeches=tuple(_within(chapter, paragraphs))))
        left -= lasts
        if left <= 0:
            break
    return replace(book, chapters=tuple(chapters)) if chapters else book


def _first_paragraphs(paragraphs: Iterable[str], language: str, seconds: float) -> tuple[tuple[str, ...], float]:
    """The first paragraphs, the last one perhaps without its last sentences, and how long they last."""
    taken: list[str] = []
    lasts = 0.0
    for paragraph in paragraphs:
        if lasts >= seconds:
            break
        found = [one.text for one in sentences([paragraph], language)]
        times = list(accumulate(map(estimated_seconds, found), initial=lasts))
        wanted = sum(begins < seconds for begins in times[:-1])
        taken.append(paragraph if wanted == len(found) else paragraph[: _end_of(found[:wanted], paragraph)])
        lasts = times[wanted]
    return tuple(taken), lasts


def _end_of(first: Sequence[str], paragraph: str) -> int:
    """Where the first sentences of a paragraph end in it: they have its letters and digits, not its tags and spaces."""
    plain = untagged(paragraph)
    letters = [place for place, character in enumerate(plain.text) if character.isalnum()]
    end = letters[sum(character.isalnum() for sentence in first for character in sentence) - 1] + 1
    marks = "".join(_LAST_MARKS.findall(first[-1])[0].split())
    behind = re.compile("".join(rf"\s*{re.escape(mark)}" for mark in marks)).match(plain.text, end)
    return plain.span(0, behind.end() if behind else end)[1]


def _within(chapter: Chapter, paragraphs: Sequence[str]) -> Iterator[Speech]:
    """The speeches of a chapter as far as its first paragraphs have them."""
    for speech in chapter.speeches:
        if speech.paragraph < len(paragraphs) and speech.start < (end := len(paragraphs[speech.paragraph])):
            yield replace(speech, end=min(speech.end, end))


def _invalid(problem: str, count: int) -> UsageError:
    return UsageError(problem, f"select from 1 to {count}, e.g. `chapters=1-{min(count, 3)}` or `chapters=1,{count}`")
