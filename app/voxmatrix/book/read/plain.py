"""Plain text: paragraphs and chapters from blank lines and headings."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.read.chapters import Start, divide, parts_of_kinds
from voxmatrix.book.read.gutenberg import with_marks_apart
from voxmatrix.book.read.marks import MAX_LINE, ends_in_pages, joined_lines, without_numbers_of_notes_and_pages
from voxmatrix.book.read.markup import tidy
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.plain_headings import (
    MAX_HEADING,
    heading_indices,
    is_contents,
    is_heading,
    is_part,
    mark_contents,
    with_title,
)
from voxmatrix.book.read.recognition import recognise_parts
from voxmatrix.book.read.text_file import decode, no_text, read_bytes
from voxmatrix.book.read.unspoken import is_contents_title
from voxmatrix.text.lines import blocks, unwrap
from voxmatrix.text.markup import without_markup

#: What Project Gutenberg writes in brackets, which may have others within.
_BRACKETED = {"illustration": "pictures", "footnote": "notes", "sidenote": "notes"}
_IN_BRACKETS = re.compile(
    r"\[(Illustration|Footnote|Sidenote)\b(?:[^\S\n]*\w{1,4})?[.:]?((?:[^\[\]]|\[[^\[\]]{0,200}\]){0,5000})\]",
    re.IGNORECASE,
)
#: Stands for something in brackets.
_FIRST, _PRIVATE = 0xF0000, re.compile("[\U000f0000-\U000fffff]")
#: `day.[1]` and, at the beginning of a note, `[1] `.
_NOTE_MARK = re.compile(r"(?<=[\w.,;:!?\u2026\"'\u2019\u201d\u00bb)])\[(\w{1,3})\]")
_NOTE_NUMBER = re.compile(r"\[(\w{1,3})\]\s")
_NOTES_TITLE = re.compile(r"(?i)(?:foot|end)?notes?[.:]?|fu\u00dfnoten[.:]?|fotnoter[.:]?|anmerkungen[.:]?")
#: A heading is wrapped where the next word would have made its line longer than this.
_WRAPPED_AT, _MAX_WRAPPED, _MAX_WRAPPED_LINES = 55, 300, 4
_ENDS_SENTENCE = re.compile(r"[.!?]\W{0,3}$")
_MOSTLY = 0.8
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
#: Lines of this length are paragraphs, not wrapped.
_LONG_LINE = 200


def read_plain(path: Path, kinds: Collection[str]) -> Book:
    """Read a text file in UTF-8, UTF-16 or Windows-1252.

    Raises:
        BadInputError: it has no text, or is too large.
    """
    text = unwrap(without_markup(decode(read_bytes(path))))
    found = list(_passages(with_marks_apart(text)))
    document = Document(path.name, passages=found)
    said = recognise_parts([document])
    mark_contents(found)
    for index in heading_indices(found):
        found[index].level = 1
    title = said.title or path.stem
    chapters = divide([document], list(_starts(found)), title, kinds)
    if not chapters:
        raise no_text(path)
    authors = (said.author,) if said.author else ()
    return Book(title, authors, said.language, None, chapters, kinds=parts_of_kinds([document], kinds))


def _passages(text: str) -> Iterator[Passage]:
    """The paragraphs, and what stands in brackets and is none of the text behind the paragraph that it interrupts."""
    marks = set(_NOTE_MARK.findall(text))
    bracketed: list[Passage] = []

    def taken(match: re.Match[str]) -> str:
        if content := tidy(match[2]):
            bracketed.append(Passage(content, 0, None, (_BRACKETED[match[1].lower()],)))
            return chr(_FIRST + len(bracketed) - 1)
        return ""

    text = _IN_BRACKETS.sub(taken, _PRIVATE.sub(" ", text))
    contents, notes = False, False
    for paragraph in _BLANK_LINE.split(text):
        lines = [line for line in map(tidy, _PRIVATE.sub("", paragraph).splitlines()) if line]
        is_title = len(lines) == 1 and is_contents_title(lines[0])
        if kind := "contents" if is_contents(lines, after_title=contents) else _kind_of_note(lines, marks, notes=notes):
            yield Passage(" ".join(lines), 0, None, (kind,))
        else:
            yield from _texts(lines, _PRIVATE.sub("", paragraph))
        yield from (bracketed[ord(mark) - _FIRST] for mark in _PRIVATE.findall(paragraph))
        contents = is_title or (contents and not lines)
        notes = kind == "notes"


def _kind_of_note(lines: Sequence[str], marks: Collection[str], *, notes: bool) -> str:
    """`notes` for a note that begins with its number, which stands in the text too, and for the title above notes."""
    if not lines:
        return "notes" if notes else ""
    number = _NOTE_NUMBER.match(lines[0])
    title = len(lines) == 1 and marks and _NOTES_TITLE.fullmatch(lines[0])
    return "notes" if title or (number and (notes or number[1] in marks)) else ""


def _texts(lines: Sequence[str], paragraph: str) -> Iterator[Passage]:
    if not lines:
        return
    if is_heading(lines[0]) and len(" ".join(lines)) <= MAX_HEADING:
        yield Passage(joined_lines(lines, heading=True), 1, None)
    elif len(lines) > 1 and is_heading(lines[0]):
        if _is_wrapped(lines):
            yield Passage(" ".join(lines), 1, None)
        else:
            yield Passage(lines[0], 1, None)
            yield Passage(" ".join(lines[1:]), 0, None)
    else:
        yield from (Passage(text, 0, None) for text in _paragraphs(lines, paragraph))


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether lines are one heading: only the last has room for the next word, and no sentence ends with the first."""
    full = (len(line) + 1 + len(following.split()[0]) > _WRAPPED_AT for line, following in pairwise(lines))
    fits = len(lines) <= _MAX_WRAPPED_LINES and sum(map(len, lines)) <= _MAX_WRAPPED
    return fits and all(full) and not _ENDS_SENTENCE.search(lines[0])


def _paragraphs(lines: Sequence[str], paragraph: str) -> Iterator[str]:
    if ends_in_pages(lines):
        yield from lines
    elif any(len(line) > _LONG_LINE for line in lines):
        yield from map(without_numbers_of_notes_and_pages, lines)
    else:
        found = list(map(tidy, blocks(paragraph)))
        found = [joined_lines(lines)] if len(found) == 1 and _is_verse(paragraph) else found
        yield from filter(None, map(tidy, map(without_numbers_of_notes_and_pages, found)))


def _is_verse(paragraph: str) -> bool:
    """Whether lines are those of a poem: short, and indented or with capitals where they begin."""
    lines = [line for line in paragraph.splitlines() if line.strip()]
    indented = all(line.startswith(("  ", "\t")) for line in lines)
    capitals = sum(not line.strip("\"'\u2018\u201c _").strip()[:1].islower() for line in lines)
    return (
        len(lines) > 1
        and all(len(tidy(line)) <= MAX_LINE for line in lines)
        and (indented or capitals >= _MOSTLY * len(lines))
    )


def _starts(passages: Sequence[Passage]) -> Iterator[Start]:
    """The headings with their titles; a part, and the chapter directly below it, are one start."""
    part: Start | None = None
    title = ""
    for index, passage in enumerate(passages):
        if passage.level and not passage.kinds:
            title = with_title([one.text for one in passages[index : index + 2] if not one.kinds])
            if part is not None and is_part(passage.text):
                yield part
            start = Start(part.position, f"{part.title}: {title}", 1, None) if part and not is_part(title) else None
            start = start or Start(index, title, 1, None)
            part = start if is_part(passage.text) else None
            if part is None:
                yield start
        elif part is not None and not passage.kinds and not title.endswith(passage.text):
            yield part
            part = None
    if part is not None:
        yield part
