"""Split a text that arrives in chunks into complete sentences, as early as possible."""

import codecs
import os
import re
import select
import sys
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import BinaryIO

from voxmatrix.encoding import CONVERT, not_utf8
from voxmatrix.errors import BadInputError
from voxmatrix.text.markup import unfinished
from voxmatrix.text.sentences import split

#: Small, so that the first sentence of a book can be spoken before its first chapter is read.
READ_BYTES = 8192
#: If nothing arrives for this long, the text so far is complete, although its last sentence has no full stop.
SILENCE_SECONDS = 0.5
#: A chunk that marks such a silence.
SILENCE = ""
#: Longer text without a space or the end of a sentence is passed on as it is.
MAX_PENDING = 20_000
#: A stand-in for the next sentence: whatever the splitter separates from it is complete.
_NEXT = "Then"
_NO_TEXT = "make an audiobook of it (`voxmatrix book`), or save it as text in UTF-8"
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


def read_text(file: BinaryIO) -> Iterator[str]:
    """Yield the text of an open file, e.g. a pipe, as it arrives, and SILENCE when nothing does.

    Bypasses Python's buffer: a thread that waits for input would hold its lock, which blocks the exit of the process.

    Raises:
        BadInputError: it is no text, or neither in UTF-8 nor in UTF-16 with a byte order mark.
    """
    from voxmatrix.transcripts.lines import UTF16_MARKS, check_text

    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    place = 0
    try:
        while True:
            if not _arrives(file, SILENCE_SECONDS):
                yield SILENCE
            block = os.read(file.fileno(), READ_BYTES)
            if not block:
                break
            if place == 0:
                check_text(block, file.name, _NO_TEXT)
            if place == 0 and block.startswith(UTF16_MARKS):
                decoder = codecs.getincrementaldecoder("utf-16")()
            if text := decoder.decode(block):
                yield text
            place += len(block)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise BadInputError(not_utf8(error, place), CONVERT) from error


def _arrives(file: BinaryIO, seconds: float) -> bool:
    """Whether something can be read within this time. Windows can only wait for sockets."""
    return sys.platform == "win32" or bool(select.select([file], [], [], seconds)[0])


def paragraphs(text: str) -> Iterator[str]:
    """Split a text behind blank lines, so that a long text need not be processed completely before it is spoken.

    The blank lines stay: where a paragraph ends, a quotation does as well.
    """
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        if text[start : blank.start()].strip():
            yield text[start : blank.end()]
            start = blank.end()
    if text[start:].strip():
        yield text[start:]


def divided(text: str, language: str) -> Iterator[str]:
    """The paragraphs of a whole text, very long ones at the ends of sentences: a book may be one line."""
    for paragraph in paragraphs(text):
        if len(paragraph) <= MAX_PENDING:
            yield paragraph
        else:
            starts = range(0, len(paragraph), READ_BYTES)
            yield from complete_texts((paragraph[start : start + READ_BYTES] for start in starts), language)


class PendingText:
    """What has arrived of a text that comes in chunks, and is not yet a complete sentence."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._text = ""

    def add(self, chunk: str) -> Iterator[str]:
        """The texts that are complete with this chunk."""
        self._text += chunk
        place = len(self._text) if chunk == SILENCE else _last_end(self._text, self._language)
        complete, self._text = self._text[:place], self._text[place:]
        return paragraphs(complete)

    def rest(self) -> str:
        """What is left at the end."""
        rest, self._text = self._text, ""
        return rest


def complete_texts(chunks: Iterable[str], language: str) -> Iterator[str]:
    """Yield the sentences of a text that arrives in chunks as soon as they are complete."""
    pending = PendingText(language)
    for chunk in chunks:
        yield from pending.add(chunk)
    if (rest := pending.rest()).strip():
        yield rest


def _last_end(text: str, language: str) -> int:
    """How much of the text is complete: paragraphs, then sentences that the splitter separates from a next one.

    What begins as a link or a tag is not, until it ends.
    """
    blank = max((match.end() for match in _BLANK_LINE.finditer(text)), default=0)
    ends = [*_sentence_ends(text, blank, language)]
    place = ends.pop() if ends else blank
    while (start := unfinished(text, place)) is not None and len(text) - start <= MAX_PENDING:
        place = max((end for end in ends if end <= start), default=min(blank, start))
    return place


def _sentence_ends(text: str, blank: int, language: str) -> Iterator[int]:
    """Where sentences end behind the last blank line; the end of a text that is too long to wait for one."""
    last_space = max((place for place, character in enumerate(text) if character.isspace()), default=-1)
    if last_space < blank:
        if len(text) - blank > MAX_PENDING:
            yield len(text)
        return
    whole_words = text[blank : last_space + 1]
    parts = split(whole_words + _NEXT, language)
    if not parts or _visible("".join(parts)) != _visible(whole_words + _NEXT):
        return
    last = parts.pop()
    ends = [blank + place for place in _behind(whole_words, accumulate(map(_visible, parts)))]
    yield from ends[:-1] if last == _NEXT else ends
    if last == _NEXT:
        yield last_space + 1


def _visible(text: str) -> int:
    return sum(not character.isspace() for character in text)


def _behind(text: str, counts: Iterable[int]) -> Iterator[int]:
    """The index behind each of these numbers of characters that are not whitespace."""
    place = seen = 0
    for count in counts:
        while place < len(text) and seen < count:
            seen += not text[place].isspace()
            place += 1
        yield place
