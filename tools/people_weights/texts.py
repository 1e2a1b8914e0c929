"""Plain texts as books, in which places are found again by the letters before them.

Sets of annotated texts part words, lines and punctuation in their own ways, but have the same letters and digits.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.dialogue import with_dialogue

#: `'` where it may open speech.
_OPENS = re.compile(r"(?<![\w.,;:!?'\"])'(?=\w)")
_EMPTY_LINES = re.compile(r"\n\s*\n")


def count_letters(text: str) -> int:
    """How many letters and digits a text has."""
    return sum(map(str.isalnum, text))


def book_of(text: str) -> Book:
    """An English text as a book of one chapter, with its speech; empty lines part its paragraphs."""
    blocks = (" ".join(block.split()) for block in _EMPTY_LINES.split(_with_curly_marks(text)))
    chapter = Chapter(1, "", tuple(block for block in blocks if block))
    return with_dialogue(Book("", (), "en", None, (chapter,)), "en")


def _with_curly_marks(text: str) -> str:
    """A text that writes all its speech in '…' as if it were written in ‘…’, which differ from apostrophes."""
    found, count = _OPENS.subn("\u2018", text)
    return found.replace("'", "\u2019") if count > 3 * sum(map(text.count, '"\u201c')) else text


class Letters:
    """Where the letters and digits of paragraphs stand.

    Args:
        paragraphs: of a whole text.
    """

    def __init__(self, paragraphs: Iterable[str]) -> None:
        self._paragraphs = list(paragraphs)
        self._ends = list(accumulate(map(count_letters, self._paragraphs)))

    def place(self, number: int) -> tuple[int, int]:
        """The paragraph and the character in it of a letter, which is given by how many are before it.

        Raises:
            IndexError: there are fewer letters.
        """
        paragraph = bisect_right(self._ends, number)
        before = self._ends[paragraph - 1] if paragraph else 0
        places = (place for place, character in enumerate(self._paragraphs[paragraph]) if character.isalnum())
        for _ in range(number - before):
            next(places)
        return paragraph, next(places)

    def before(self, paragraph: int, character: int) -> int:
        """How many letters are before a character of a paragraph."""
        first = self._ends[paragraph - 1] if paragraph else 0
        return first + count_letters(self._paragraphs[paragraph][:character])
