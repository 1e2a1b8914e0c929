"""Contents in any language, known by their lines: titles of the book with the numbers of their pages behind them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from voxmatrix.book.read.marks import LINE_OF_CONTENTS, MIN_LINES_OF_CONTENTS, ROMAN, never_fall, page_of
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.unspoken import is_contents_title

_NUMBER_BEFORE = re.compile(rf"^(?:(?:\d{{1,3}}|{ROMAN})\b[.,:\s]*)+")
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_MOST_LINES = 500
#: Lines of other kinds may stand between: names of parts, and what is above the numbers.
_MAX_HEADING, _MAX_WORDS, _MAX_TITLE = 60, 20, 150
_SENTENCE = re.compile(r"[.!?]\W{0,3}$")
_MOSTLY = 0.5
#: Of headings such as `Chapter 1`, the words are the same.
_DIFFERENT = 0.8


def recognise(documents: Sequence[Document]) -> None:
    """Add the kind `contents` to the lines of lists of pages, most of whose titles are in the text, or have a title."""
    passages = [passage for document in documents for passage in document.passages]
    #: Where each title stands last: a list without a title of its own is in front of what it lists.
    titles = {
        key: place
        for place, passage in enumerate(passages)
        if len(passage.text) <= _MAX_TITLE
        for key in _keys(passage.text)
    }
    for first, end in _runs(passages):
        start = first - _has_line_above(passages[max(0, first - 2) : first])
        lines = [match for passage in passages[start:end] if (match := LINE_OF_CONTENTS.fullmatch(passage.text))]
        found = sum(any(titles.get(key, -1) >= end for key in _keys(match[1])) for match in lines)
        above = passages[start - 1] if start else None
        has_title = above is not None and is_contents_title(above.text)
        if any(_YEAR.fullmatch(match[2]) for match in lines) and not has_title:
            continue
        differ = len({match[1].casefold() for match in lines}) >= _DIFFERENT * len(lines)
        if not differ or (not has_title and found < _MOSTLY * len(lines)):
            continue
        _mark(passages[start - has_title : end])
    _mark_titled(passages, titles)
    _mark_headings(passages)


def _mark_titled(passages: Sequence[Passage], last: Mapping[str, int]) -> None:
    """Mark the lines below the title of contents that are titles of what follows, or, to the end of a book, precedes.

    `last` says where each title stands last.
    """
    for place, passage in enumerate(passages):
        if "contents" in passage.kinds or not is_contents_title(passage.text):
            continue
        end, seen = place + 1, set[str]()
        while (
            end < len(passages)
            and (keys := _keys(passages[end].text))
            and not keys & seen
            and _comes_later(end, keys, last)
        ):
            seen |= keys
            end += 1
        if end - place > MIN_LINES_OF_CONTENTS or _repeats(passages, place):
            _mark(passages[place : end if end - place > MIN_LINES_OF_CONTENTS else len(passages)])


def _comes_later(place: int, keys: Iterable[str], last: Mapping[str, int]) -> bool:
    return any(last.get(key, -1) > place for key in keys)


def _repeats(passages: Sequence[Passage], place: int) -> bool:
    """Whether everything behind a place, up to the end of the book, is a few titles that stand before it."""
    rest = passages[place + 1 : place + 2 + _MOST_LINES]
    if not rest or len(rest) > _MOST_LINES or any(len(one.text) > _MAX_TITLE for one in rest):
        return False
    before = {key for one in passages[:place] if len(one.text) <= _MAX_TITLE for key in _keys(one.text)}
    return all(_keys(one.text) & before for one in rest)


def _has_line_above(passages: Sequence[Passage]) -> bool:
    """Whether a list begins with what its numbers are: `Page`, below the title or in its table."""
    if not passages[1:] or passages[-1].level or len(passages[-1].text) >= _MAX_WORDS:
        return False
    title = passages[-2]
    return title.level > 0 or "tables" in passages[-1].kinds or is_contents_title(title.text)


def _mark(passages: Sequence[Passage]) -> None:
    for passage in passages:
        if "contents" not in passage.kinds:
            passage.kinds = ("contents", *passage.kinds)


def _mark_headings(passages: Sequence[Passage]) -> None:
    """A heading below which is nothing but contents, in whatever language, is theirs."""
    ends = dict.fromkeys(range(1, 7), len(passages))
    for index in range(len(passages) - 1, -1, -1):
        if level := passages[index].level:
            below = passages[index + 1 : min(ends[lower] for lower in range(1, level + 1))]
            if below and all("contents" in passage.kinds for passage in below):
                _mark([passages[index]])
            ends[level] = index


def listed_titles(passages: Sequence[Passage]) -> set[int]:
    """Where the titles of the contents stand that are lists of pages, if most of them stand somewhere in the text."""
    lines = [
        (place, _keys(match[1]))
        for place, passage in enumerate(passages)
        if "contents" in passage.kinds and (match := LINE_OF_CONTENTS.fullmatch(passage.text))
    ]
    places: dict[str, list[int]] = {}
    for place, passage in enumerate(passages):
        if not passage.kinds and len(passage.text) <= _MAX_HEADING:
            for key in _keys(passage.text):
                places.setdefault(key, []).append(place)
    found = set[int]()
    for place, keys in lines:
        known = [one for key in keys if any(map(str.isalpha, key)) for one in places.get(key, ())]
        found |= set([min(known, key=lambda one: (one < place, one))] if known else ())
    return found if len(found) >= max(MIN_LINES_OF_CONTENTS, _MOSTLY * len(lines)) else set()


def _runs(passages: Sequence[Passage]) -> Iterator[tuple[int, int]]:
    """Where neighbouring lines end in page numbers: the first one, and behind the last one."""
    start, last, numbers = -1, -1, list[int]()
    for index, passage in enumerate([*passages, Passage("." * _MAX_HEADING, 0, None)]):
        match = None if "boilerplate" in passage.kinds else LINE_OF_CONTENTS.fullmatch(passage.text)
        number = page_of(match[2]) if match else 0
        if match and never_fall([*numbers[-1:], number]):
            start, last = index if start < 0 else start, index
            numbers.append(number)
        elif match or index - last > MIN_LINES_OF_CONTENTS or _is_text(passage):
            if len(numbers) >= MIN_LINES_OF_CONTENTS:
                yield start, last + 1
            start, last, numbers = (index, index, [number]) if match else (-1, -1, [])


def _is_text(passage: Passage) -> bool:
    most = _MAX_HEADING if passage.level or not _SENTENCE.search(passage.text) else _MAX_WORDS
    return len(passage.text) >= most


def _keys(title: str) -> set[str]:
    """A title as it is compared: its letters, with and without the number before them."""
    keys = ("".join(filter(str.isalnum, text.casefold())) for text in (title, _NUMBER_BEFORE.sub("", title, count=1)))
    return set(filter(None, keys))
