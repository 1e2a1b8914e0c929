"""What a book consists of, whatever format it came in."""

from dataclasses import dataclass

from voxmatrix.errors import Finding


@dataclass(frozen=True)
class Cover:
    """The picture on the front, as it is in the file. It has not been decoded: `data` may be damaged."""

    media_type: str
    data: bytes


@dataclass(frozen=True)
class Chapter:
    """A chapter with the text that is spoken. A heading that is in the text is the first of the paragraphs."""

    #: Counts from 1.
    index: int
    title: str
    #: None is empty, and whitespace is single spaces.
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Book:
    """A book in reading order. It has at least one chapter, and each chapter has at least one paragraph."""

    title: str
    authors: tuple[str, ...]
    #: As the file names it, e.g. sv or en-US; empty if it does not.
    language: str
    cover: Cover | None
    chapters: tuple[Chapter, ...]
    #: What is wrong in the file and was worked around.
    findings: tuple[Finding, ...] = ()
