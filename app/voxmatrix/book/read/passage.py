"""What a document is made of as it is read: passages, which stand for themselves."""

from dataclasses import dataclass, field

from voxmatrix.book.read.markup import Link
from voxmatrix.book.read.play_marks import NOBODY, PlayLine
from voxmatrix.book.read.unspoken import NoteStart


@dataclass
class Passage:
    """A paragraph, or whatever stands for itself."""

    text: str
    #: 1 to 6 for headings, else 0.
    level: int
    note: NoteStart | None
    #: Of what it is a part, from `voxmatrix.book.kinds`.
    kinds: tuple[str, ...] = ()
    verses: tuple[str, ...] = ()  # the numbers of verses in it, as they are written
    line: PlayLine = NOBODY  # who says it, in a play


@dataclass
class Document:
    """The passages of a file, and the index of the passage that each anchor leads to; the last may be one too many."""

    path: str
    title: str = ""
    passages: list[Passage] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    references: set[Link] = field(default_factory=set)  # what superscript links lead to
    has_contents: bool = False
    formulas: int = 0  # those without a description
