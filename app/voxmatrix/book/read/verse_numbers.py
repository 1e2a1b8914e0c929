"""Numbers before verses: `1:14`, or those that a document raises or names by a class. They can be left out."""

import re
from collections.abc import Sequence
from itertools import groupby

from voxmatrix.book.read.passage import Document
from voxmatrix.book.read.passages import VERSE

KIND = "verse-numbers"
#: `1:14`, `[1:14]`, `01:001:014`, at the beginning of a paragraph or behind a sentence.
_VERSE = re.compile(
    r"(?:^|(?<=[\w.,;:!?\u2019\u201d\u00bb)]\s))\[?(?:\d{1,3}:)?(\d{1,3}):(\d{1,3})[a-z]?\]?\.?\s+(?=\S)"
)
_RAISED = re.compile(rf"{VERSE}(\S+\s?)")
_FEWEST, _MOSTLY = 4, 0.6


def recognise(documents: Sequence[Document]) -> None:
    """Set the numbers of the verses of each passage. Times of the day, which do not follow each other, are none."""
    passages = [passage for document in documents for passage in document.passages]
    raised = [_RAISED.findall(passage.text) for passage in passages]
    are_verses = sum(map(len, raised)) >= _FEWEST
    for passage, numbers in zip(passages, raised, strict=True):
        if numbers:
            passage.text = passage.text.replace(VERSE, "")
            passage.verses = tuple(numbers) if are_verses else ()
    with_colons = (passage for passage in passages if ":" in passage.text)
    found = [(passage, match) for passage in with_colons for match in _VERSE.finditer(passage.text)]
    last, following = (0, 0), []
    for passage, match in found:
        verse = int(match[1]), int(match[2])
        if verse in ((last[0], last[1] + 1), (last[0] + 1, 1)):
            following.append((passage, match))
        last = verse
    if len(following) < max(_FEWEST, _MOSTLY * len(found)):
        return
    numbered = found if len(following) == len(found) else following
    for _, verses in groupby(numbered, key=lambda one: id(one[0])):
        several = list(verses)
        passage = several[0][0]
        passage.verses = (*passage.verses, *(match[0] for _, match in several))


def without_verses(text: str, verses: Sequence[str]) -> str:
    """A text without the numbers of its verses."""
    for verse in verses:
        text = text.replace(verse, "", 1)
    return text
