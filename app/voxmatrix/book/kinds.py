"""The kinds of parts that a book has beside its text, and which of them are read aloud."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from voxmatrix.errors import UsageError
from voxmatrix.wording import quoted

#: Each kind, and what it is.
KINDS = {
    "cover": "the cover",
    "title-page": "title pages",
    "copyright": "the copyright page",
    "imprint": "imprint and colophon",
    "boilerplate": "the header and the licence of Project Gutenberg",
    "contents": "tables of contents, and lists of pictures and tables",
    "notes": "footnotes, endnotes, and pages that only a link leads to",
    "index": "the index",
    "bibliography": "the bibliography",
    "page-numbers": "numbers of pages between the paragraphs of converted files",
    "verse-numbers": "numbers of chapter and verse before the verses of the Bible and other books",
    "pictures": "descriptions of pictures",
    "code": "blocks of program code",
    "tables": "tables of data",
    "headings": "headings",
    "stage-directions": "stage directions of plays",
    "urls": "web addresses within the text",
}
#: What is read unless somebody asks for something else.
SPOKEN_KINDS = frozenset({"tables", "headings", "stage-directions", "urls", "verse-numbers"})
#: Kinds that are sections: a chapter in which nothing but its heading is left is none.
SECTIONS = frozenset(KINDS) - {
    "pictures", "code", "tables", "headings", "stage-directions", "urls", "page-numbers", "verse-numbers",
}  # fmt: skip


@dataclass(frozen=True)
class PartsOfKind:
    """What a book has of a kind."""

    kind: str
    spoken: bool
    #: How many paragraphs, pictures, rows …, and their characters.
    count: int
    characters: int
    #: How the first of them begins.
    beginning: str


def spoken_kinds(include: Iterable[str] = (), exclude: Iterable[str] = ()) -> frozenset[str]:
    """The kinds that are read: the usual ones, those of `include` too, and not those of `exclude`.

    Raises:
        UsageError: there is no such kind.
    """
    return (SPOKEN_KINDS | set(_known(include))) - set(_known(exclude))


def _known(kinds: Iterable[str]) -> Iterator[str]:
    for kind in kinds:
        if kind not in KINDS:
            alike = get_close_matches(kind, KINDS, n=1)
            remedy = f"did you mean {alike[0]}?" if alike else f"choose from {', '.join(KINDS)}"
            raise UsageError(f"there is no kind {quoted(kind)} of parts of a book", remedy)
        yield kind
