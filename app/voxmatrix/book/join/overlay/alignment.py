"""Which words of a long text are those of another one, in order: what is spoken, in the pages of the author."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

#: Words in a row that are looked for: first those that are likely to occur once.
_RUNS = (8, 4, 2)
#: Short runs occur by chance in a text that is so many times as long.
_SHORT, _MOST_TIMES = 2, 20
#: Smaller pieces are compared word by word, and of larger ones a window of so many words at their edges.
_SMALL, _WINDOW = 200, 60
#: Pieces within pieces that are compared.
_MAX_DEPTH = 12
_NONE = -1


class _Piece(NamedTuple):
    """A piece of both texts, and whether the words before and behind it belong together."""

    start: int
    end: int
    source_start: int
    source_end: int
    after_match: bool = False
    before_match: bool = False
    depth: int = 0


def align(spoken: Sequence[int], source: Sequence[int]) -> "array[int]":
    """For each word of `spoken` its place in `source`, ascending; -1 where there is none.

    Runs of words that occur once in both texts are matched first, as in a patience diff; then what is between them.
    Time grows with the length of the texts: each level of pieces is looked at once, and there are few levels.
    """
    aligner = _Aligner(spoken, source)
    todo = [_Piece(0, len(spoken), 0, len(source))]
    while todo:
        todo += aligner.match(todo.pop())
    return aligner.found


class _Aligner:
    def __init__(self, spoken: Sequence[int], source: Sequence[int]) -> None:
        self._spoken, self._source = np.asarray(spoken, np.int64), np.asarray(source, np.int64)
        self._words, self._source_words = spoken, source
        self.found = array("l", [_NONE]) * len(spoken)

    def match(self, piece: _Piece) -> Iterator[_Piece]:
        """Match what can be matched in a piece, and give what is left of it."""
        piece = self._from_edges(piece)
        length, source_length = piece.end - piece.start, piece.source_end - piece.source_start
        if not length or not source_length:
            return
        if max(length, source_length) > _SMALL and piece.depth < _MAX_DEPTH:
            for run in _RUNS:
                if run <= _SHORT and source_length > _MOST_TIMES * length:
                    continue
                if anchors := self._anchors(piece, run):
                    yield from self._between(piece, anchors)
                    return
        self._compare(piece)

    def _from_edges(self, piece: _Piece) -> _Piece:
        """Match words directly behind those before the piece, and directly before those behind it."""
        start, end, source_start, source_end, after, before, depth = piece
        words, source = self._words, self._source_words
        while after and start < end and source_start < source_end and words[start] == source[source_start]:
            self.found[start] = source_start
            start, source_start = start + 1, source_start + 1
        while before and start < end and source_start < source_end and words[end - 1] == source[source_end - 1]:
            end, source_end = end - 1, source_end - 1
            self.found[end] = source_end
        return _Piece(start, end, source_start, source_end, after, before, depth)

    def _anchors(self, piece: _Piece, run: int) -> list[tuple[int, int]]:
        """Places of runs that occur once in both texts, ascending in both."""
        once = _once(self._spoken[piece.start : piece.end], run)
        source_once = _once(self._source[piece.source_start : piece.source_end], run)
        _, places, source_places = np.intersect1d(once[0], source_once[0], assume_unique=True, return_indices=True)
        pairs = sorted(zip(once[1][places].tolist(), source_once[1][source_places].tolist(), strict=True))
        return [(piece.start + one, piece.source_start + other) for one, other in _ascending(pairs)]

    def _between(self, piece: _Piece, anchors: Sequence[tuple[int, int]]) -> Iterator[_Piece]:
        start, source_start, after = piece.start, piece.source_start, piece.after_match
        for place, source_place in anchors:
            self.found[place] = source_place
            if place > start:
                yield _Piece(start, place, source_start, source_place, after, True, piece.depth + 1)
            start, source_start, after = place + 1, source_place + 1, True
        yield _Piece(start, piece.end, source_start, piece.source_end, after, piece.before_match, piece.depth + 1)

    def _compare(self, piece: _Piece) -> None:
        """Compare word by word: at the end of the piece, where a heading stands before its text, or at its start."""
        words = self._words[piece.start : piece.end]
        sides = (True, False) if piece.before_match else (False, True)
        if len(words) > _SMALL:  # nothing in it is alike
            return
        window = 2 * len(words) + _WINDOW
        for at_end in sides:
            start = max(piece.source_start, piece.source_end - window) if at_end else piece.source_start
            end = min(start + window, piece.source_end)
            matcher = SequenceMatcher(None, words, self._source_words[start:end], autojunk=False)
            blocks = matcher.get_matching_blocks()
            if 2 * sum(block.size for block in blocks) >= len(words) or at_end is sides[-1]:
                for block in blocks:
                    for number in range(block.size):
                        self.found[piece.start + block.a + number] = start + block.b + number
                return


def _once(words: Numbers, run: int) -> tuple[Numbers, Numbers]:
    """The runs of words that occur once, as sorted numbers, and where."""
    if len(words) < run:
        return words[:0], words[:0]
    mixed = np.zeros(len(words) - run + 1, np.uint64)
    for place in range(run):  # two runs with the same number are as likely as two equal checksums of 64 bits
        mixed = (mixed ^ words[place : len(words) - run + 1 + place].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    values, places, counts = np.unique(mixed.astype(np.int64), return_index=True, return_counts=True)
    return values[counts == 1], places[counts == 1]


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs whose second numbers rise, as their first ones do."""
    lowest: list[int] = []  # the lowest end of a part of each length
    ends: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(lowest, place)
        before.append(ends[length - 1] if length else _NONE)
        lowest[length : length + 1] = [place]
        ends[length : length + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else _NONE
    while number != _NONE:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]
