"""Which words of a text are those of each clip, given what a recogniser has heard in them. Pure.

Runs of words that occur once in both are anchors. Between anchors, letters are aligned: `to morrow` is `tomorrow`, and
a word that was heard wrong shares letters with the right one.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

#: Words of an anchor.
_ANCHOR_WORDS = 3
#: Letters times letters between two anchors: more is not of the same text.
_MAX_CELLS = 4_000_000
#: Costs of a letter that is another, of beginning to leave letters out, and of each letter that is left out.
_OTHER, _OPEN, _LEFT_OUT = 1.0, 1.0, 0.25
#: The least confidence: with fewer letters of both, they are equal by chance.
_MIN_CONFIDENCE = 0.5
#: Letters in a row that may be missing in what was heard, or be too many: more are words that were not read so.
_MAX_GAP = 6
#: Letters behind which a few equal ones are so by chance.
_FAR = 40
#: Letters too many before the first and behind the last word, which was heard all the same: croquette for croquet.
_MAX_BLUR = 2
_EITHER = "it is not sure which words it begins or ends with"
_BLURRED = "its first or last word was not heard as it is written"
#: A clip ends here rather than at other places between words.
_PAUSES = (".", "!", "?", "…", ";", ":", ",", "—", "–", "-")


@dataclass(frozen=True)
class Span:
    """The words start..end of the text, and how sure it is that a clip consists of them."""

    start: int
    end: int
    confidence: float  # 1 - letters that differ / letters
    doubt: str = ""  # why it may be others
    sharp: tuple[bool, bool] = (True, True)  # whether its first and its last letter were heard
    skipped: tuple[int, int] = (0, 0)  # words in between that nobody reads: a page header, a note
    beyond: tuple[int, int] = (0, 0)  # letters that were heard before and behind those of its words

    def of(self, text: Sequence[str]) -> Sequence[str]:
        """The words."""
        first, last = self.skipped
        return [*text[self.start : first], *text[last : self.end]] if last else text[self.start : self.end]


def align(clips: Sequence[Sequence[str]], text: Sequence[str], ends: Collection[int] = ()) -> list[Span | None]:
    """The span of each clip, in order and without overlap; None if its words are not in the text.

    Args:
        clips: the words that were heard in each, as letters and digits in lower case, none empty.
        text: the words of the text, with their marks.
        ends: how many words there are up to the end of each sentence or heading, which may have no mark.
    """
    words = [letters(word) for word in text]
    heard = [word for clip in clips for word in clip]
    matched = _matched_letters(heard, words)
    edges = [0, *accumulate(map(len, words))]
    spans: list[Span | None] = []
    place = 0
    for clip in clips:
        end = place + sum(map(len, clip))
        span = _span(matched[place:end], edges)
        spans.append(span and _with_short_words(span, "".join(clip), words))
        place = end
    borders = {*ends, *(place for place, word in enumerate(text, start=1) if _pauses(word))}
    return _with_borders(spans, borders, words)


def letters(word: str) -> str:
    """The letters and digits of a word, in lower case."""
    return "".join(character for character in word.casefold() if character.isalnum())


def _matched_letters(heard: Sequence[str], words: Sequence[str]) -> list[tuple[int, bool]]:
    """For each letter heard the place in the text, or -1, and whether it is the same letter."""
    heard_edges, edges = ([0, *accumulate(map(len, some))] for some in (heard, words))
    spoken, written = "".join(heard), "".join(words)
    found = [(-1, False)] * len(spoken)
    done = (0, 0)
    for one, other, count in [*_anchors(heard, words), (len(heard), len(words), 0)]:
        start, first = heard_edges[one], edges[other]
        for place, partner, same in _aligned(spoken[done[0] : start], written[done[1] : first]):
            found[done[0] + place] = (done[1] + partner, same)
        end = heard_edges[one + count]
        found[start:end] = [(first + place, True) for place in range(end - start)]
        done = (end, first + end - start)
    return found


def _anchors(heard: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Equal words: where in both, and how many, in order and without overlap."""
    places = [_unique_runs(some) for some in (heard, words)]
    pairs = sorted((place, places[1][run]) for run, place in places[0].items() if run in places[1])
    end = (0, 0)
    for one, other in _increasing(pairs):
        if one < end[0] or other < end[1]:
            continue
        before = 0
        while min(one - before - end[0], other - before - end[1]) > 0 and (
            heard[one - before - 1] == words[other - before - 1]
        ):
            before += 1
        after = 0
        while one + after < len(heard) and other + after < len(words) and heard[one + after] == words[other + after]:
            after += 1
        yield one - before, other - before, before + after
        end = (one + after, other + after)


def _unique_runs(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    runs = [tuple(words[place : place + _ANCHOR_WORDS]) for place in range(len(words) - _ANCHOR_WORDS + 1)]
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs) if counts[run] == 1}


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs, sorted by the first, in which the second also increases."""
    tails: list[int] = []
    indices: list[int] = []
    before: list[int] = []
    for index, (_, value) in enumerate(pairs):
        place = bisect_left(tails, value)
        before.append(indices[place - 1] if place else -1)
        tails[place : place + 1] = [value]
        indices[place : place + 1] = [index]
    found: list[tuple[int, int]] = []
    index = indices[-1] if indices else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


def _aligned(heard: str, text: str) -> Iterator[tuple[int, int, bool]]:
    """Pairs of letters at the least cost, in which few long gaps are cheaper than many short ones."""
    if not heard or not text or len(heard) * len(text) > _MAX_CELLS:
        return
    came = _directions(heard, text)
    one, other, state = len(heard), len(text), 0
    pairs = []
    while one and other:
        if state == 0:
            state = int(came[0, one, other])
            if state == 0:
                one, other = one - 1, other - 1
                pairs.append((one, other, heard[one] == text[other]))
            continue
        opened = came[state, one, other]
        one, other = (one - 1, other) if state == 1 else (one, other - 1)
        state = 0 if opened else state
    yield from reversed(pairs)


def _directions(heard: str, text: str) -> NDArray[np.int8]:
    """How each cell was reached (Gotoh 1982), (3, heard + 1, text + 1).

    First by what: a pair of letters (0), or the end of a gap of heard letters (1) or of letters of the text (2); then,
    for both kinds, whether the gap was opened there.
    """
    columns = len(text) + 1
    came = np.zeros((3, len(heard) + 1, columns), np.int8)
    letters = np.array([*text])
    steps = _LEFT_OUT * np.arange(columns)
    best = np.concatenate(([0.0], _OPEN + steps[1:]))
    above = np.full(columns, np.inf)  # the best cost of a gap of heard letters that ends here
    for row, letter in enumerate(heard, start=1):
        opening, going = best + _OPEN + _LEFT_OUT, above + _LEFT_OUT
        above = np.minimum(opening, going)
        came[1, row] = opening <= going
        pair = np.concatenate(([np.inf], best[:-1] + np.where(letters == letter, 0.0, _OTHER)))
        reached = np.minimum(pair, above)
        # A gap along the row: the least cost of any place before it, and what its letters cost.
        starts = np.minimum.accumulate(reached - steps)
        beside = np.concatenate(([np.inf], starts[:-1] + steps[1:] + _OPEN))
        came[2, row, 1:] = reached[:-1] - steps[:-1] <= starts[:-1]
        best = np.minimum(reached, beside)
        came[0, row] = np.where(best == pair, 0, np.where(best == above, 1, 2))
    return came


def _span(matched: Sequence[tuple[int, bool]], edges: Sequence[int]) -> Span | None:
    """The words that most of the letters of a clip belong to, if it has most of theirs."""
    pairs = _together([(number, place, same) for number, (place, same) in enumerate(matched) if place >= 0])
    if not pairs:
        return None
    same = sum(equal for *_, equal in pairs)
    (head, first, _), (tail, last, _) = pairs[0], pairs[-1]
    behind = len(matched) - 1 - tail
    start = bisect_left(edges, first + 1) - 1
    end = bisect_left(edges, last + 1)
    steps = list(pairwise(pairs))
    too_many = max([head, behind, *(two[0] - one[0] - 1 for one, two in steps)])
    skipped = _skipped(steps, edges)
    missing = max((two[1] - one[1] - 1 for one, two in steps if edges[skipped[0]] != one[1] + 1), default=0)
    doubt = ""
    if too_many > _MAX_GAP:
        doubt = "words were heard that are not in the text"
    elif missing > _MAX_GAP:
        doubt = "words of the text were not heard"
    sharp = (
        head <= _MAX_BLUR and pairs[0][1:] == (edges[start], True),
        behind <= _MAX_BLUR and pairs[-1][1:] == (edges[end] - 1, True),
    )
    letters_of_it = edges[end] - edges[start] - (edges[skipped[1]] - edges[skipped[0]])
    confidence = same / max(len(matched), letters_of_it)
    return (
        Span(start, end, confidence, doubt, sharp, skipped, (head, behind)) if confidence >= _MIN_CONFIDENCE else None
    )


def _with_short_words(span: Span, said: str, words: Sequence[str]) -> Span:
    """With the word before or behind it if that is what the letters too many begin or end with.

    Beside a page that nobody reads, such a word may have been paired with the same letters on the other side of it.
    """
    start, end = span.start, span.end
    head, behind = span.beyond
    if span.sharp[0] and start and (word := words[start - 1]) and said[:head].startswith(word):
        start -= 1
    if span.sharp[1] and end < len(words) and (word := words[end]) and said[len(said) - behind :].endswith(word):
        end += 1
    return replace(span, start=start, end=end)


def _skipped(
    steps: Sequence[tuple[tuple[int, int, bool], tuple[int, int, bool]]], edges: Sequence[int]
) -> tuple[int, int]:
    """So many whole words between two letters heard one after the other that nobody read them; or (0, 0)."""
    for (before, last, _), (after, first, _) in steps:
        if first - last > _FAR and after == before + 1:
            words = bisect_left(edges, last + 1), bisect_left(edges, first)
            if (edges[words[0]], edges[words[1]]) == (last + 1, first):
                return words
    return 0, 0


def _together(pairs: list[tuple[int, int, bool]]) -> list[tuple[int, int, bool]]:
    """Pairs of letters without the few at an end that are far from the others: those are equal by chance."""
    while len(pairs) > 1:
        gap, after = max((two[1] - one[1] - 1, number) for number, (one, two) in enumerate(pairwise(pairs), start=1))
        if gap <= _FAR or min(after, len(pairs) - after) > _MAX_GAP:
            break
        pairs = pairs[after:] if after <= _MAX_GAP else pairs[:after]
    return pairs


def _with_borders(spans: Sequence[Span | None], borders: Collection[int], words: Sequence[str]) -> list[Span | None]:
    """The spans, with words that nobody was heard to say given to a neighbour, or a doubt where that is not sure."""
    found = list(spans)
    before, last = Span(0, 0, 1.0), -1
    for number, span in enumerate([*found, Span(len(words), len(words), 1.0)]):
        if span is None:
            continue
        between = sum(map(len, words[before.end : span.start]))
        if before.end > span.start or (last == number - 1 and 0 < between <= _MAX_GAP):
            before, after = _shared(before, span, borders)
        elif between:
            before = before if before.sharp[1] else _doubted(before, _BLURRED)
            after = span if span.sharp[0] else _doubted(span, _BLURRED)
        else:
            after = span
        for place, one in ((last, before), (number, after)):
            if 0 <= place < len(found):
                found[place] = one
        before, last = after, number
    return found


def _shared(before: Span, after: Span, borders: Collection[int]) -> tuple[Span, Span]:
    """Two spans that meet at the only border among the words that could be of both, or a doubt."""
    between = [place for place in range(before.end, after.start + 1) if place in borders]
    if len(between) == 1:
        return replace(before, end=between[0]), replace(after, start=between[0])
    return _doubted(before, _EITHER), _doubted(after, _EITHER)


def _doubted(span: Span, doubt: str) -> Span:
    return replace(span, doubt=span.doubt or doubt)


def _pauses(word: str) -> bool:
    return word.rstrip("\"'”’)]»").endswith(_PAUSES)
