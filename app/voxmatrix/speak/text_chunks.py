"""Text that comes in pieces: what is complete is handed on at once, the rest waits for more."""

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from voxmatrix.errors import BadInputError
from voxmatrix.text.sentences import split

#: Small, so that the first sentence of a book is not kept waiting for the chapter.
READ_BYTES = 8192
#: Text without a space or an end for so long is handed on as it is.
MOST_HELD = 20_000
#: Stands where the next sentence would: what the splitter parts from it is complete.
_NEXT = "Then"
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


def read_text(file: BinaryIO) -> Iterator[str]:
    """The text of an open file as it arrives, e.g. of a pipe.

    It is read past Python's own buffer, whose lock a thread that waits for more would hold until the end.

    Raises:
        BadInputError: it is not UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    place = 0
    try:
        while block := os.read(file.fileno(), READ_BYTES):
            yield decoder.decode(block)
            place += len(block)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"the text is not UTF-8: byte {place + error.start:,} or near it is 0x{error.object[error.start]:02x}",
            "convert it, e.g.  iconv -f latin1 -t utf-8 OLD.txt > NEW.txt",
        ) from error


def paragraphs(text: str) -> Iterator[str]:
    """A text by its blank lines, so that a long one need not be worked through before it is heard."""
    return (part for part in _BLANK_LINE.split(text) if part.strip())


def complete_texts(chunks: Iterable[str], language: str) -> Iterator[str]:
    """Whole sentences of a text that comes in chunks, each as soon as its end is seen."""
    held = ""
    for chunk in chunks:
        held += chunk
        place = _last_end(held, language)
        yield from paragraphs(held[:place])
        held = held[place:]
    if held.strip():
        yield held


def _last_end(text: str, language: str) -> int:
    """How much of the text is complete: paragraphs, then sentences that the splitter parts from a next one."""
    blank = max((match.end() for match in _BLANK_LINE.finditer(text)), default=0)
    last_space = max((place for place, character in enumerate(text) if character.isspace()), default=-1)
    if last_space < blank:
        return blank if len(text) - blank <= MOST_HELD else len(text)
    whole_words = text[blank : last_space + 1]
    parts = split(whole_words + _NEXT, language)
    if not parts or _letters("".join(parts)) != _letters(whole_words + _NEXT):
        return blank
    last = parts.pop()
    if last == _NEXT:
        return last_space + 1
    return blank + _after(whole_words, sum(_letters(part) for part in parts))


def _letters(text: str) -> int:
    return sum(not character.isspace() for character in text)


def _after(text: str, letters: int) -> int:
    """The place behind so many characters that are not spaces."""
    for place, character in enumerate(text):
        if letters == 0:
            return place
        letters -= not character.isspace()
    return len(text)
