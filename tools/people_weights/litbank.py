"""The annotations of LitBank: who says what, and who is meant by what, at the beginning of a hundred books.

A place is how many letters and digits are before it: the annotated texts have the same ones as the whole books.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from tools.people_weights.texts import count_letters


@dataclass(frozen=True)
class Mention:
    """Words that mean somebody."""

    start: int
    end: int
    text: str  # its words, with spaces between them
    kind: str  # PROP: a name, NOM: a noun, PRON: a pronoun
    who: str


@dataclass(frozen=True)
class Quotation:
    """What somebody says."""

    start: int
    end: int
    who: str


@dataclass(frozen=True)
class Work:
    """A book of LitBank with its annotations."""

    name: str
    text: str  # all of the book
    end: int  # of what is annotated
    quotations: list[Quotation]  # in order
    mentions: list[Mention]  # of people


def works(folder: Path) -> list[str]:
    """The names of all books, without those in which nobody speaks.

    Raises:
        FileNotFoundError: the folder is not LitBank.
    """
    paths = sorted((folder / "quotations" / "tsv").iterdir())
    return [path.name.removesuffix("_brat.ann") for path in paths if path.suffix == ".ann" and path.stat().st_size]


def read(folder: Path, name: str) -> Work:
    """A book with its annotations.

    Raises:
        ValueError: what is annotated is not the beginning of the book.
    """
    text = (folder / "original" / f"{name}.txt").read_text(encoding="utf-8")
    sentences = (folder / "quotations" / "tsv" / f"{name}_brat.txt").read_text(encoding="utf-8")
    annotated = _only_letters(sentences)
    if not _only_letters(text).startswith(annotated):
        raise ValueError(f"{name}: the annotated words are not those at the beginning of the book")
    words = _Words(sentences)
    return Work(
        name,
        text,
        len(annotated),
        list(_quotations(folder / "quotations" / "tsv" / f"{name}_brat.ann", words)),
        list(_mentions(folder / "coref" / "tsv" / f"{name}_brat.ann", words)),
    )


class _Words:
    """Where the words of sentences stand, a sentence a line."""

    def __init__(self, text: str) -> None:
        sentences = [line.split() for line in text.splitlines()]
        starts = [0, *accumulate(count_letters("".join(words)) for words in sentences)]
        self._starts = [
            [start, *(start + count for count in accumulate(map(count_letters, words)))]
            for start, words in zip(starts, sentences, strict=False)
        ]

    def span(self, row: list[str]) -> tuple[int, int]:
        """Start and end of the words from a sentence and word to another one."""
        first, start, last, end = map(int, row)
        return self._starts[first][start], self._starts[last][end + 1]


def _quotations(path: Path, words: _Words) -> Iterator[Quotation]:
    rows = list(_rows(path))
    who = {row[1]: row[2] for row in rows if row[0] == "ATTRIB"}
    for row in rows:
        if row[0] == "QUOTE" and row[1] in who:
            yield Quotation(*words.span(row[2:6]), who[row[1]])


def _mentions(path: Path, words: _Words) -> Iterator[Mention]:
    rows = list(_rows(path))
    who: defaultdict[str, str] = defaultdict(str, {row[1]: row[2] for row in rows if row[0] == "COREF"})
    for row in rows:
        if row[0] == "MENTION" and row[7] == "PER" and who[row[1]]:
            yield Mention(*words.span(row[2:6]), row[6], row[8], who[row[1]])


def _rows(path: Path) -> Iterator[list[str]]:
    return (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line)


def _only_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
