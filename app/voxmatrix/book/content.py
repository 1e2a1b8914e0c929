"""What is in a book, whatever format it came in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cover:
    """The image on the front of a book."""

    media_type: str  # e.g. image/jpeg, as the book says
    data: bytes


@dataclass(frozen=True)
class Chapter:
    """A chapter in reading order. A heading that is spoken is its first paragraph."""

    index: int  # from 1
    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Book:
    """A book as it is read aloud."""

    title: str
    authors: tuple[str, ...]
    language: str  # a BCP 47 tag; empty: unknown
    cover: Cover | None
    chapters: tuple[Chapter, ...]
