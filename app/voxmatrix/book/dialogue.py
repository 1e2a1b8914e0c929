"""What is said in a book, by whoever: its speech in quotation marks and behind dashes."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from voxmatrix.book.content import Book, Chapter, Speech
from voxmatrix.text.speech.find import marks_of, spoken_parts
from voxmatrix.text.speech.quotes import Marks

#: How books of unknown language write speech.
_DEFAULT_LANGUAGE = "en"
#: A name before a line is looked for at its beginning.
_SEEN = 260
_LINE = re.compile(r"[_*]*(?P<who>[^\s_*:][^:\n]{0,200}?)[_*]*\s?:[_*]*\s+(?=\S)")


def with_dialogue(book: Book, language: str) -> Book:
    """The book with its speech, in the paragraphs of which none is known yet."""
    language = language or _DEFAULT_LANGUAGE
    marks = marks_of([paragraph for chapter in book.chapters for paragraph in chapter.paragraphs], language)
    chapters = (replace(chapter, speeches=_speeches(chapter, language, marks)) for chapter in book.chapters)
    return replace(book, chapters=tuple(chapters))


def with_lines_of(book: Book, names: Collection[str]) -> Book:
    """The book with the speeches of paragraphs that begin with one of these names, in small letters, and a colon."""
    if not names:
        return book
    chapters = (replace(chapter, speeches=_with_lines(chapter, names)) for chapter in book.chapters)
    return replace(book, chapters=tuple(chapters))


def speakers(book: Book) -> set[str]:
    """The names of all who are known to speak in a book."""
    return {speech.who for chapter in book.chapters for speech in chapter.speeches} - {""}


def _with_lines(chapter: Chapter, names: Collection[str]) -> tuple[Speech, ...]:
    """The speeches of a chapter; a name before a line is stronger than what the paragraphs before it tell."""
    named = {speech.paragraph for speech in chapter.speeches if speech.head}
    found = {line.paragraph: line for line in _lines(chapter, names) if line.paragraph not in named}
    kept = (speech for speech in chapter.speeches if speech.paragraph not in found)
    return _in_order((*kept, *found.values()))


def _in_order(speeches: Iterable[Speech]) -> tuple[Speech, ...]:
    return tuple(sorted(speeches, key=lambda speech: (speech.paragraph, speech.start)))


def _lines(chapter: Chapter, names: Collection[str]) -> Iterator[Speech]:
    for index, paragraph in enumerate(chapter.paragraphs):
        head = _LINE.match(paragraph[:_SEEN])
        if head and head["who"].casefold() in names:
            yield Speech(index, head.end(), len(paragraph), head["who"], "name", head.end())


def _speeches(chapter: Chapter, language: str, marks: Marks) -> tuple[Speech, ...]:
    """Those that are known, and those in other paragraphs."""
    known = {speech.paragraph for speech in chapter.speeches}
    parts = (part for part in spoken_parts(chapter.paragraphs, language, marks) if part.paragraph not in known)
    found = (Speech(part.paragraph, part.start, part.end) for part in parts)
    return _in_order((*chapter.speeches, *found))
