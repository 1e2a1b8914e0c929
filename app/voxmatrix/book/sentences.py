"""The sentences of a chapter: the units in which a book is spoken."""

from collections.abc import Iterable
from dataclasses import dataclass

from voxmatrix.text.lines import unwrap
from voxmatrix.text.sentences import split

#: How a text of unknown language is split.
_DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True)
class BookSentence:
    """A sentence as it is written, at most MAX_CHARACTERS of text.sentences long, and where a longer pause belongs."""

    text: str
    starts_paragraph: bool


def sentences(paragraphs: Iterable[str], language: str) -> list[BookSentence]:
    """The sentences of paragraphs in order. What has neither letter nor digit, e.g. `* * *`, is left out.

    Args:
        paragraphs: the text of a chapter.
        language: e.g. `sv` or `en-US`; empty if it is unknown.
    """
    found = []
    for paragraph in paragraphs:
        starts = True
        for text in split(unwrap(paragraph), language or _DEFAULT_LANGUAGE):
            if any(character.isalnum() for character in text):
                found.append(BookSentence(text, starts_paragraph=starts))
                starts = False
    return found
