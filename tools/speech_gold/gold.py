"""Paragraphs of novels of ELTeC in which one reader has marked speech, before any program saw them.

A file has a line `# NAME.xml seen` (or `held`: its faults were not looked at while rules were changed) for each novel,
and below it a line for each paragraph: `CHAPTER.PARAGRAPH DIGEST SPOKEN`. The novels are in a folder of their own; the
first digits of the SHA-1 of a paragraph tell whether it is the one that was marked.

The words of a paragraph are counted in runs without punctuation, from 0. SPOKEN is `.` (none), `*` (all), the runs
(`0,2-4`), those that are not (`-1,5-6`), or `3@word_word`: the third from these words on.

What a character says aloud is speech, also to himself and without marks, and so is the whole of a tale whose paragraphs
begin with a mark. Thoughts, letters, songs, titles, words that the narrator quotes and his `said Anna` are not.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

#: Words without punctuation between them.
_RUN = re.compile(r"[^\W_]+(?:(?:['\u2019]\s?|[-\u2011]|\s+)[^\W_]+)*['\u2019]?(?![^\W_])")
_LEFT_OUT = {"note", "ref"}


@dataclass(frozen=True)
class Paragraph:
    """A paragraph with what is said in it."""

    chapter: int
    index: int
    digest: str
    spoken: str

    def spans(self, text: str) -> list[tuple[int, int]]:
        """From where to where somebody speaks, without punctuation at the edges.

        Raises:
            ValueError: the text is not the one that was marked.
        """
        if digest_of(text) != self.digest:
            raise ValueError(f"paragraph {self.chapter}.{self.index} is another one: {text[:40]!r}")
        runs = [match.span() for match in _RUN.finditer(text)]
        spoken = self.spoken
        if spoken == ".":
            return []
        if spoken == "*":
            return runs
        if spoken.startswith("-"):
            others = {run for part in spoken[1:].split(",") for run in _range(part)}
            return [span for run, span in enumerate(runs) if run not in others]
        return [span for part in spoken.split(",") for span in _spans(part, text, runs)]


@dataclass(frozen=True)
class Novel:
    """A novel with the paragraphs that were marked."""

    name: str
    held: bool
    paragraphs: tuple[Paragraph, ...]


def novels(path: Path) -> Iterator[Novel]:
    """The novels of a file of marks."""
    for block in path.read_text(encoding="utf-8").split("# ")[1:]:
        head, *lines = block.splitlines()
        name, half = head.split()
        yield Novel(name, half == "held", tuple(map(_paragraph, lines)))


def chapters(path: Path) -> list[list[str]]:
    """The paragraphs of a TEI file, by the divisions that they stand in; without notes."""
    body = etree.parse(path, etree.XMLParser(recover=True, huge_tree=True)).find(".//{*}body")
    found: list[list[str]] = []
    last = None
    for element in body.iter("{*}p"):
        above = [etree.QName(each).localname for each in element.iterancestors()]
        if "note" in above or "p" in above:
            continue
        division = next((each for each in element.iterancestors("{*}div")), body)
        if division is not last:
            found.append([])
            last = division
        if text := " ".join("".join(_texts(element)).split()):
            found[-1].append(text)
    return [chapter for chapter in found if chapter]


def digest_of(text: str) -> str:
    """Some digits of the SHA-1 of a paragraph."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:8]


def _paragraph(line: str) -> Paragraph:
    place, digest, spoken = line.split()
    chapter, index = place.split(".")
    return Paragraph(int(chapter), int(index), digest, spoken)


def _spans(part: str, text: str, runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    if "@" not in part:
        return [runs[run] for run in _range(part)]
    run, words = part.split("@")
    start, end = runs[int(run)]
    return [(text.index(words.replace("_", " "), start, end), end)]


def _range(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def _texts(element: etree._Element) -> Iterator[str]:
    """The text of an element, without that of notes."""
    if isinstance(element.tag, str) and etree.QName(element).localname not in _LEFT_OUT:
        yield element.text or ""
        for child in element:
            yield from _texts(child)
            yield child.tail or ""
