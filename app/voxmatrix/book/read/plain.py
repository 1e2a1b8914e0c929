"""Plain text: paragraphs and chapters from blank lines and headings; Project Gutenberg's licence is left out."""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.read.chapters import Start, divide, parts_of_kinds
from voxmatrix.book.read.marks import (
    MAX_LINE,
    NUMBERED_WORDS,
    ROMAN,
    joined_lines,
    number_of,
    without_numbers_of_notes_and_pages,
)
from voxmatrix.book.read.markup import tidy
from voxmatrix.book.read.passages import Document, Passage
from voxmatrix.book.read.text_file import decode, no_text, read_bytes
from voxmatrix.text.lines import blocks, unwrap
from voxmatrix.text.markup import without_markup

_START = re.compile(r"^\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG EBOOK[^\n]*$", re.MULTILINE | re.IGNORECASE)
_END = re.compile(
    r"^(?:\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG EBOOK|End of (?:the )?Project Gutenberg)",
    re.MULTILINE | re.IGNORECASE,
)
_SAID = re.compile(r"^(Title|Author|Language): ([^\n]+)$", re.MULTILINE)
_LANGUAGES = {
    "english": "en", "swedish": "sv", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl",
    "finnish": "fi", "danish": "da", "norwegian": "no", "portuguese": "pt",
}  # fmt: skip
_ONES = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|(?:twenty|thirty|forty|fifty)(?:[- ]\\w+)?|first|second|third|fourth|fifth|last"
    "|ett|tv\u00e5|tre|fyra|fem|sex|sju|\u00e5tta|nio|tio|elva|tolv|\\w+ton|tjugo\\w*|trettio\\w*"
    "|eins|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf|\\w+zehn"
)
#: A heading with a number, and its title.
_NUMBERED = re.compile(
    rf"(?i:{NUMBERED_WORDS})\s+(?:the\s+)?(?:\d{{1,4}}|{ROMAN}|(?i:{_ONES}))(?:\s*[.:,;\u2013\u2014-].*|\s+(?![a-z\u00df-\u00ff]).*)?"
)
_ORDINAL = re.compile(
    r"(?i)(?:\d{1,3}(?::?[ea]|st|nd|rd|th|\.)|\w+(?:te|de|sta|dra|tje))\s+(?:chapter|kapitlet|kapitel|delen|boken|teil)\b.{0,60}"
)
_NAMED = re.compile(
    r"(?i)(?:prologue?|epilogue?|preface|foreword|introduction|afterword|appendix|f\u00f6rord|inledning|prolog|epilog|efterord"
    r"|vorwort|nachwort|einleitung|pr\u00e9face|conclusion)(?:\s+[A-Z\d]{1,3})?\.?"
)
#: A heading that is a number only counts where the next number follows.
_NUMBER = re.compile(rf"(\d{{1,3}}|{ROMAN})\.?")
_CONTENTS = re.compile(
    r"(?i)(?:table of )?contents\.?|inneh\u00e5ll(?:sf\u00f6rteckning)?\.?|inhalt(?:sverzeichnis)?\.?"
)
#: Without a title.
_BARE = re.compile(rf"(?i:{NUMBERED_WORDS})\s+\S+|{ROMAN}\.?|\d+\.?")
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
_MAX_HEADING = 80
_MIN_LINES_OF_CONTENTS = 3
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
    said, text = _without_licence(text)
    found = _with_contents(list(_passages(text)))
    texts = ["" if passage.kinds else passage.text for passage in found]
    heads = _headings(texts)
    for index in heads:
        found[index].level = 1
    document = Document(path.name, passages=found)
    title = said.get("Title") or path.stem
    starts = [Start(index, _with_title(texts[index : index + 2]), 1, None) for index in sorted(heads)]
    chapters = divide([document], starts, title, kinds)
    if not chapters:
        raise no_text(path)
    authors, parts = ((said["Author"],) if "Author" in said else ()), parts_of_kinds([document], kinds)
    language = _LANGUAGES.get(said.get("Language", "").lower(), "")
    return Book(title, authors, language, None, chapters, kinds=parts)


def _without_licence(text: str) -> tuple[dict[str, str], str]:
    """What Project Gutenberg says of a text, and the text between its marks."""
    start, end = _START.search(text), _END.search(text)
    if start is None:
        return {}, text
    last = end.start() if end is not None and end.start() > start.end() else len(text)
    said = {key: tidy(value) for key, value in _SAID.findall(text[: start.start()])}
    return said, text[start.end() : last]


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
        is_title = len(lines) == 1 and _CONTENTS.fullmatch(lines[0]) is not None
        if (
            kind := "contents"
            if _is_contents(lines, after_title=contents)
            else _kind_of_note(lines, marks, notes=notes)
        ):
            yield Passage(" ".join(lines), 0, None, (kind,))
        else:
            yield from (Passage(text, 0, None) for text in _texts(lines, _PRIVATE.sub("", paragraph)))
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


def _texts(lines: Sequence[str], paragraph: str) -> Iterator[str]:
    if not lines:
        return
    if _is_heading(lines[0]) and len(" ".join(lines)) <= _MAX_HEADING:
        yield joined_lines(lines, heading=True)
    elif len(lines) > 1 and _is_heading(lines[0]):
        yield lines[0]
        yield " ".join(lines[1:])
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


def _is_heading(line: str) -> bool:
    return len(line) <= _MAX_HEADING and any(pattern.fullmatch(line) for pattern in (_NUMBERED, _ORDINAL, _NAMED))


def _with_title(texts: Sequence[str]) -> str:
    """A heading with its title, if that is the next paragraph: a few words in capitals."""
    heading, following = texts[0], texts[1] if len(texts) > 1 else ""
    has_title = following.isupper() and len(following) <= MAX_LINE and not _is_heading(following)
    return joined_lines(texts, heading=True) if has_title and _BARE.fullmatch(heading) else heading


def _is_contents(lines: Sequence[str], *, after_title: bool) -> bool:
    """Whether a paragraph lists headings."""
    listed = [line for line in lines if not _CONTENTS.fullmatch(line)]
    least = 1 if after_title else _MIN_LINES_OF_CONTENTS
    return len(listed) >= least and len(listed) != 1 and sum(map(_is_heading, listed)) >= _MOSTLY * len(listed)


def _with_contents(passages: list[Passage]) -> list[Passage]:
    """Mark headings that are listed without text between them and come again, and the title above a list."""
    last = {passage.text.casefold(): index for index, passage in enumerate(passages)}
    listed: list[Passage] = []
    for index, passage in enumerate([*passages, Passage("", 0, None)]):
        if _is_heading(passage.text) and last[passage.text.casefold()] > index:
            listed.append(passage)
            continue
        marked = listed if len(listed) >= _MIN_LINES_OF_CONTENTS else []
        for one in (*marked, passage) if _CONTENTS.fullmatch(passage.text) else marked:
            one.kinds = one.kinds or ("contents",)
        listed = []
    return passages


def _headings(passages: Sequence[str]) -> set[int]:
    """The indices of headings: with words, or numbers alone that count up from 1."""
    found = {index for index, text in enumerate(passages) if _is_heading(text)}
    numbers = [
        (index, number_of(match[1])) for index, text in enumerate(passages) if (match := _NUMBER.fullmatch(text))
    ]
    expected, counted = 1, []
    for index, value in numbers:
        if value == expected or (value == 1 and index not in found):  # each part may begin with 1 again
            counted.append(index)
            expected = value + 1
    return found | set(counted if len(counted) > 1 else ())
