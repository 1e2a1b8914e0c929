"""The paragraphs of a book in which somebody speaks, and the narration around it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from voxmatrix.book.content import Chapter

#: Stands for a character that is spoken.
SPOKEN = "\0"
#: Paragraphs that seem to stand between two chapters, so that nobody of one is looked for in the other.
_BETWEEN_CHAPTERS = 50
_DASHES = "-\u2013\u2014\u2015"
_CLOSES = "\"'\u201d\u2019\u00ab\u00bb\u201c"
#: Words that have a capital only in a title: shorter ones, such as `with`, have none there either.
_LONG_WORD = re.compile(r"[^\W\d_]{5,}")
#: In a title, at least this share of them has a capital.
_CAPITALS = 0.8
_ENDS = ".,:;!?\u2026\u2014-"


@dataclass
class Paragraph:
    """A paragraph of a book."""

    place: int  # grows by 1 from one to the next, and by more between chapters
    text: str
    narration: str  # the text, with SPOKEN for each character that is spoken

    @property
    def is_title(self) -> bool:
        """Whether its words have capitals as those of an English title do, so that a capital tells no name."""
        long = _LONG_WORD.findall(self.narration)
        capitals = sum(word[0].isupper() for word in long)
        return bool(long) and capitals >= _CAPITALS * len(long) and self.text == self.narration.rstrip(_ENDS)


@dataclass
class Turn:
    """A paragraph with speech: what one person says."""

    paragraph: int  # its number in the book
    place: int
    parts: list[tuple[int, int]]  # start and end of each piece
    narration: str
    continues: bool  # the speech of the paragraph before is not closed
    pure: bool = field(init=False)  # nothing but speech

    def __post_init__(self) -> None:
        self.pure = not any(character.isalpha() for character in self.narration)

    def behind(self, part: int) -> str:
        """The narration behind a piece of speech, up to the next one."""
        end = self.parts[part + 1][0] if part + 1 < len(self.parts) else len(self.narration)
        return self.narration[self.parts[part][1] : end].replace("\n", " ")


def paragraphs_of(chapters: Iterable[Chapter], *, dashes: bool) -> tuple[list[Paragraph], list[Turn]]:
    """The paragraphs of chapters with their speech, and those in which somebody speaks.

    Args:
        chapters: with their speech.
        dashes: open speech, which nothing closes.
    """
    open_marks = _DASHES if dashes else ""
    paragraphs: list[Paragraph] = []
    turns: list[Turn] = []
    place = 0
    for chapter in chapters:
        parts = {number: list(pieces) for number, pieces in groupby(chapter.speeches, key=lambda part: part.paragraph)}
        is_open = False
        for number, text in enumerate(chapter.paragraphs):
            spans = [(part.start, part.end) for part in parts.get(number, ())]
            narration = _without(text, spans)
            if spans:
                continues = is_open and spans[0][0] <= 2 and text[spans[0][0]] not in open_marks
                turns.append(Turn(len(paragraphs), place, spans, narration, continues))
            is_open = (
                bool(spans)
                and spans[-1][1] >= len(text.rstrip())
                and text.rstrip()[-1] not in _CLOSES
                and text[spans[-1][0]] not in open_marks
            )
            paragraphs.append(Paragraph(place, text, narration))
            place += 1
        place += _BETWEEN_CHAPTERS
    return paragraphs, turns


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    return "".join(_narrated(text, spans))


def _narrated(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    place = 0
    for start, end in spans:
        yield text[place:start]
        yield SPOKEN * (end - start)
        place = end
    yield text[place:]
