"""Lines to blocks: wrapped lines are joined; headings and list items stand alone."""

import re
from collections.abc import Callable, Iterator

from voxmatrix.text.lazy_pattern import lazy_pattern

_PARAGRAPH = lazy_pattern(r"\n\s*\n")
_BULLET = "[\u2022\u2043\u2023\u25e6\u25aa\u25cf]"
#: `1.`, `2.)`, `(3)`, `b.`, `• 9.`, and the dashes and stars of plain text.
_ITEM = lazy_pattern(rf"{_BULLET}\s?(?:\d{{1,3}}[.)]+)?\s?|\(?(\d{{1,3}}|[A-Za-z])([.)]+)\s+|[-*+\u2013\u2014]\s+")
_BEFORE_BULLET = lazy_pattern(rf"\s(?={_BULLET})")
_CJK = "[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]"
_LINE_ENDS = ("\r\n", "\r", "\u2028", "\u2029")
_SOFT_HYPHEN = lazy_pattern(r"\u00ad[^\S\n]*\n[^\S\n]*")
_HYPHEN = lazy_pattern(r"(?<=\w)-\n[^\S\n]*(?=\w)")
_WITHOUT_SPACES = lazy_pattern(rf"({_CJK})[^\S\n]*\n[^\S\n]*(?={_CJK})")
#: exam-ple, but mother-in-law.
_DIVIDED = lazy_pattern(r"(?<![\w-])([^\W\d_]+)-\n[^\S\n]*(?=([^\W\d_A-Z][^\W\d_]*))")
_WORD = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)?")
#: English words before a hyphen that stays: well-known.
_HYPHENATED = frozenset(("well", "self", "half", "ill", "ever", "never", "all", "cross", "ex"))
#: Longer lines are wrapped text.
_HEADING_CHARACTERS = 60
_MIN_LINES_OF_A_LIST = 3
_LINE_GOES_ON = lazy_pattern(r"[,;\u060c\u2013\u2014-]$")
_SENTENCE = lazy_pattern(r"[.!?\u2026\u3002\uff01\uff1f\u0964\u061f\u06d4](?:\W|$)")
_LETTER = lazy_pattern(r"[^\W\d_]")
_ROMAN = lazy_pattern(r"\b[IVXLC]+\b")
_SENTENCE_ENDS = lazy_pattern(r"[.!?:;\u2026\u3002\uff01\uff1f\u0964\u061f\u06d4][\"')\]\u2019\u201d\u00bb]*$")


def unwrap(text: str) -> str:
    """A text with words that are divided between two lines in one piece; with their hyphen, if it is theirs."""
    for end in _LINE_ENDS:
        text = text.replace(end, "\n")
    text = _SOFT_HYPHEN.sub("", text)
    if "-\n" in text:
        text = _HYPHEN.sub("-", _DIVIDED.sub(_whole(text), text))
    return text if text.isascii() else _WITHOUT_SPACES.sub(r"\1", text)


def _whole(text: str) -> Callable[[re.Match[str]], str]:
    """What makes one piece of a word that is divided."""
    words = set(_WORD.findall(text)) if _DIVIDED.search(text) else set()

    def whole(match: re.Match[str]) -> str:
        first, second = match.groups()
        elsewhere = f"{first}-{second}" in words and first + second not in words
        return f"{first}-" if elsewhere or first.lower() in _HYPHENATED else first

    return whole


def blocks(text: str) -> Iterator[str]:
    """The paragraphs of a text on one line each, with headings, list items and short lines apart."""
    for paragraph in _PARAGRAPH.split(text):
        lines = [" ".join(line.split()) for line in paragraph.splitlines() if line.strip()]
        if len(lines) >= _MIN_LINES_OF_A_LIST and not any(_is_wrapped(line) or _ITEM.match(line) for line in lines):
            yield from lines
            continue
        for block in _joined(lines):
            yield from _items(block)


def item_marker(block: str) -> str:
    """What marks a block as an item of a list (`2. `), or nothing."""
    match = _ITEM.match(block)
    return match[0] if match else ""


def _is_wrapped(line: str) -> bool:
    """Whether the text may continue in the next line, or contains the end of a sentence."""
    return bool(len(line) > _HEADING_CHARACTERS or _LINE_GOES_ON.search(line) or _SENTENCE.search(line))


def _joined(lines: list[str]) -> Iterator[str]:
    """Lines of a paragraph, joined unless a new block begins."""
    block: list[str] = []
    in_list = False
    for number, line in enumerate(lines):
        is_item = _ITEM.match(line) is not None and (in_list or not block or bool(_SENTENCE_ENDS.search(block[-1])))
        in_list = in_list or is_item
        if block and (is_item or _differ(block[-1], line) or (number == 1 and _is_heading(block[0], line))):
            yield " ".join(block)
            block = []
        block.append(line)
    if block:
        yield " ".join(block)


def _differ(line: str, following: str) -> bool:
    """Whether one line is in capitals or has no letters, and the other has some."""
    return _kind(line) != _kind(following)


def _kind(line: str) -> str:
    if not any(map(str.isalnum, line)):
        return "rule"
    is_shouted = line.isupper() and len(_LETTER.findall(_ROMAN.sub("", line))) > 3
    return "capitals" if is_shouted else "text"


def _is_heading(line: str, following: str) -> bool:
    """Whether a first line leaves room for the first word of the next one, which begins like a sentence."""
    return (
        " " in line
        and not _is_wrapped(line)
        and not following[0].islower()
        and len(following) > _HEADING_CHARACTERS
        and len(line) < len(following) * 2 // 3
    )


def _items(block: str) -> Iterator[str]:
    """`1. The first item 2. The second item` as two."""
    start = 0
    match = _ITEM.match(block)
    if match and match[1]:
        number, closing = match[1], re.escape(match[2])
        while True:
            number = str(int(number) + 1) if number.isdigit() else chr(ord(number) + 1)
            following = re.compile(rf"(?<=\s)\(?{re.escape(number)}{closing}\s(?=\w)").search(block, start + 1)
            if following is None:
                break
            yield block[start : following.start()].strip()
            start = following.start()
    yield from (piece.strip() for piece in _BEFORE_BULLET.split(block[start:]) if piece.strip())
