"""What a book consists of, whatever format it came in, and other titles for its chapters, from a file."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from voxmatrix.book.kinds import PartsOfKind
from voxmatrix.encoding import parse_json
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.files import read_errors
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.wording import pluralise, quoted


@dataclass(frozen=True)
class Cover:
    """The picture on the front, as it is in the file. It has not been decoded: `data` may be damaged."""

    media_type: str
    data: bytes


#: Who speaks if only the sex is known, m or f, and if nothing is.
SOMEBODY = {"m": "a man", "f": "a woman", "": "somebody"}


@dataclass(frozen=True)
class Speech:
    """What somebody says in a paragraph, or a part of it: who, beside the text."""

    #: Index in `paragraphs` of the chapter.
    paragraph: int
    #: Characters of the paragraph, with the quotation marks.
    start: int
    end: int
    #: The name of the speaker; empty if it is not known.
    who: str = ""
    #: How the speaker is known, e.g. `name`: it stands before the words.
    rule: str = ""
    #: Where the name of the speaker ends that begins the paragraph, with what divides it from the rest; 0: none does.
    head: int = 0


@dataclass(frozen=True)
class Chapter:
    """A chapter with the text that is spoken. A heading that is in the text is the first of the paragraphs."""

    #: Counts from 1.
    index: int
    title: str
    #: None is empty, and whitespace is single spaces.
    paragraphs: tuple[str, ...]
    #: In the order of the text; none overlap.
    speeches: tuple[Speech, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What players show beside title and authors; empty if it is not known."""

    series: str = ""
    #: The place in the series, e.g. 2 or 1.5.
    series_index: str = ""
    publisher: str = ""
    #: As the file has it, e.g. 1999 or 1999-05-01.
    date: str = ""
    description: str = ""
    narrator: str = ""


@dataclass(frozen=True)
class Book:
    """A book in reading order. It has at least one chapter, and each chapter has at least one paragraph."""

    title: str
    authors: tuple[str, ...]
    #: As the file names it, e.g. sv or en-US, else as its text tells; empty if neither does.
    language: str
    cover: Cover | None
    chapters: tuple[Chapter, ...]
    #: What is wrong in the file and was worked around.
    findings: tuple[Finding, ...] = ()
    #: What it has beside its text, read or left out.
    kinds: tuple[PartsOfKind, ...] = ()
    about: Metadata = field(default_factory=Metadata)
    #: How its own lexicons say words.
    lexicon: Lexicon = field(default_factory=Lexicon)


_FORMAT = 'write a JSON object of chapter numbers and titles, e.g. {"1": "The storm"}; book inspect shows the numbers'


def read_titles(path: Path) -> dict[int, str]:
    """The titles by the numbers of their chapters, from a JSON object such as `{"1": "The storm"}`.

    Raises:
        BadInputError: the file cannot be read, or holds anything else.
    """
    with read_errors(path):
        data = path.read_bytes()
    try:
        found = parse_json(data)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path} is not JSON: {error}", _FORMAT) from error
    if not isinstance(found, dict):
        raise BadInputError(f"{path} is not a JSON object", _FORMAT)
    for number, title in found.items():
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            raise BadInputError(f"{path}: {quoted(number)} is not the number of a chapter", _FORMAT)
        if not isinstance(title, str) or not title.strip():
            raise BadInputError(f"{path}: the title of chapter {number} is not a text", _FORMAT)
    return {int(number): " ".join(title.split()) for number, title in found.items()}


def with_titles(book: Book, titles: dict[int, str]) -> Book:
    """The book with other titles; what is spoken stays the same.

    Raises:
        BadInputError: there is no such chapter.
    """
    last = len(book.chapters)
    for number in titles:
        if not 1 <= number <= last:
            raise BadInputError(
                f"there is a title for chapter {number}, and the book has {pluralise(last, 'chapter')}", _FORMAT
            )
    chapters = (replace(chapter, title=titles.get(chapter.index, chapter.title)) for chapter in book.chapters)
    return replace(book, chapters=tuple(chapters))
