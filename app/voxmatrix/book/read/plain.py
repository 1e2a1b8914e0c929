"""Plain text: paragraphs and chapters from blank lines and headings; Project Gutenberg's licence is left out."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.read.chapters import Start, divide
from voxmatrix.book.read.markup import tidy
from voxmatrix.book.read.passages import Document, Passage
from voxmatrix.book.read.text_file import decode, no_text, read_bytes
from voxmatrix.text.lines import blocks, unwrap

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
_ROMAN = r"(?=[IVXLCivxlc])[Cc]{0,3}(?:[Xx][Cc]|[Xx][Ll]|[Ll]?[Xx]{0,3})(?:[Ii][Xx]|[Ii][Vv]|[Vv]?[Ii]{0,3})"
_WORDS = (
    "chapter|kapitel|part|book|volume|del|bok|teil|buch|chapitre|partie|livre|cap[i\u00ed]tulo|capitolo|parte|hoofdstuk|deel"
    "|luku|rozdzia\u0142|\u0433\u043b\u0430\u0432\u0430|letter|brev|act|akt|scene|scen|canto|s\u00e5ng"
)
_ONES = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|(?:twenty|thirty|forty|fifty)(?:[- ]\\w+)?|first|second|third|fourth|fifth|last"
    "|ett|tv\u00e5|tre|fyra|fem|sex|sju|\u00e5tta|nio|tio|elva|tolv|\\w+ton|tjugo\\w*|trettio\\w*"
    "|eins|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf|\\w+zehn"
)
#: A heading with a number, and its title.
_NUMBERED = re.compile(
    rf"(?i:{_WORDS})\s+(?:the\s+)?(?:\d{{1,4}}|{_ROMAN}|(?i:{_ONES}))(?:\s*[.:,;\u2013\u2014-].*|\s+(?![a-z\u00df-\u00ff]).*)?"
)
_ORDINAL = re.compile(
    r"(?i)(?:\d{1,3}(?::?[ea]|st|nd|rd|th|\.)|\w+(?:te|de|sta|dra|tje))\s+(?:chapter|kapitlet|kapitel|delen|boken|teil)\b.{0,60}"
)
_NAMED = re.compile(
    r"(?i)(?:prologue?|epilogue?|preface|foreword|introduction|afterword|appendix|f\u00f6rord|inledning|prolog|epilog|efterord"
    r"|vorwort|nachwort|einleitung|pr\u00e9face|conclusion)(?:\s+[A-Z\d]{1,3})?\.?"
)
#: A heading that is a number only counts where the next number follows.
_NUMBER = re.compile(rf"(\d{{1,3}}|{_ROMAN})\.?")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_CONTENTS = re.compile(
    r"(?i)(?:table of )?contents\.?|inneh\u00e5ll(?:sf\u00f6rteckning)?\.?|inhalt(?:sverzeichnis)?\.?"
)
_MAX_HEADING = 80
_MIN_LINES_OF_CONTENTS = 3
_MOSTLY = 0.8
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
#: Lines of this length are paragraphs, not wrapped.
_LONG_LINE = 200


def read_plain(path: Path, notes: bool) -> Book:
    """Read a text file in UTF-8, UTF-16 or Windows-1252.

    Raises:
        BadInputError: it has no text, or is too large.
    """
    text = unwrap(decode(read_bytes(path)))
    said, text = _without_licence(text)
    found = _without_contents(list(_passages(text)))
    heads = _headings(found)
    document = Document(
        path.name, passages=[Passage(text, int(index in heads), None) for index, text in enumerate(found)]
    )
    title = said.get("Title") or path.stem
    chapters = divide([document], [Start(index, found[index], 1, None) for index in sorted(heads)], title)
    if not chapters:
        raise no_text(path)
    authors = (said["Author"],) if "Author" in said else ()
    return Book(title, authors, _LANGUAGES.get(said.get("Language", "").lower(), ""), None, chapters)


def _without_licence(text: str) -> tuple[dict[str, str], str]:
    """What Project Gutenberg says of a text, and the text between its marks."""
    start, end = _START.search(text), _END.search(text)
    if start is None:
        return {}, text
    last = end.start() if end is not None and end.start() > start.end() else len(text)
    said = {key: tidy(value) for key, value in _SAID.findall(text[: start.start()])}
    return said, text[start.end() : last]


def _passages(text: str) -> Iterator[str]:
    for paragraph in _BLANK_LINE.split(text):
        lines = [line for line in map(tidy, paragraph.splitlines()) if line]
        if not lines or _is_contents(lines):
            continue
        if _is_heading(lines[0]) and len(" ".join(lines)) <= _MAX_HEADING:
            yield " ".join(lines)
        elif len(lines) > 1 and _is_heading(lines[0]):
            yield lines[0]
            yield " ".join(lines[1:])
        elif any(len(line) > _LONG_LINE for line in lines):
            yield from lines
        else:
            yield from map(tidy, blocks(paragraph))


def _is_heading(line: str) -> bool:
    return len(line) <= _MAX_HEADING and any(pattern.fullmatch(line) for pattern in (_NUMBERED, _ORDINAL, _NAMED))


def _is_contents(lines: Sequence[str]) -> bool:
    """Whether a paragraph lists headings."""
    listed = [line for line in lines if not _CONTENTS.fullmatch(line)]
    return len(listed) >= _MIN_LINES_OF_CONTENTS and sum(map(_is_heading, listed)) >= _MOSTLY * len(listed)


def _without_contents(passages: list[str]) -> list[str]:
    """Leave out headings that are listed without text between them and come again, and the title above a list."""
    last = {text.casefold(): index for index, text in enumerate(passages)}
    kept: list[str] = []
    listed: list[str] = []
    for index, text in enumerate([*passages, ""]):
        if _is_heading(text) and last[text.casefold()] > index:
            listed.append(text)
            continue
        kept += listed if len(listed) < _MIN_LINES_OF_CONTENTS else []
        listed = []
        kept += [text] if text and not _CONTENTS.fullmatch(text) else []
    return kept


def _headings(passages: Sequence[str]) -> set[int]:
    """The indices of headings: with words, or numbers alone that count up from 1."""
    found = {index for index, text in enumerate(passages) if _is_heading(text)}
    numbers = [(index, _value(match[1])) for index, text in enumerate(passages) if (match := _NUMBER.fullmatch(text))]
    expected, counted = 1, []
    for index, value in numbers:
        if value == expected or (value == 1 and index not in found):  # each part may begin with 1 again
            counted.append(index)
            expected = value + 1
    return found | set(counted if len(counted) > 1 else ())


def _value(number: str) -> int:
    """The value of a number in digits or in Roman numerals."""
    if number.isdigit():
        return int(number)
    values = [_ROMAN_VALUES[letter] for letter in number.upper()]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )
