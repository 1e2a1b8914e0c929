"""Fits the weights of `voxmatrix.book.people.sequence` to turns whose speakers are known.

The weights make the known speakers as probable as they can, with a Gaussian prior. Turns whose speaker is not known,
or is no candidate, count with all their candidates.

A feature that differs by the kind of a turn (`he.often`, `pure.often`) has what is common to all kinds (`*.often`) and
what is its own, so that rare kinds learn from frequent ones (Daumé 2007).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from tools.people_weights.labels import LabelledTurn
from voxmatrix.book.people.candidates import Features
from voxmatrix.book.people.sequence import Choice, Pairs, passes, probabilities

#: Steps of the ascent; that of a weight grows if its slope keeps its sign, and else shrinks.
STEPS = 40
_FIRST_STEP, _LONGEST, _SHORTEST = 0.1, 1.0, 1e-5
_LONGER, _SHORTER = 1.2, 0.5
_KIND = re.compile(r"^(same\.|back\.|)(?:pure|beside|he|name|noun|does)\.")

Array = npt.NDArray[np.float64]
Weights = dict[str, float]


@dataclass(frozen=True)
class Prior:
    """The variances of the Gaussian prior."""

    by_kind: float  # of weights that differ by the kind of a turn, and of what they have in common
    other: float  # of what is said to whom


def fit(works: Sequence[Sequence[LabelledTurn]], prior: Prior, steps: int = STEPS) -> Weights:
    """The weights of all features; rounded, without zeros.

    Args:
        works: the turns of each, in order.
        prior: of the weights, whose means are 0.
        steps: of the ascent.
    """
    known = [_known(turns) for turns in works if turns]
    rows = _Rows([row for turns in works for turn in turns for row in (*turn.features[0].values(), *turn.features[1:])])
    variances = np.array([prior.by_kind if _is_by_kind(name) else prior.other for name in rows.names])

    def slope(weights: Array) -> Array:
        scores = iter(rows.scores(weights).tolist())
        excess = [value for one in known for value in one.excess(scores)]
        ascent: Array = rows.sums(np.array(excess)) - weights / variances
        return ascent

    return _merged(dict(zip(rows.names, _ascend(slope, len(rows.names), steps).tolist(), strict=True)))


def _merged(weights: Mapping[str, float]) -> Weights:
    """The weights of features, with what they have in common added to each."""
    sums = {
        name: weight + (weights[_common_name(name)] if _is_by_kind(name) else 0.0)
        for name, weight in weights.items()
        if "*" not in name
    }
    return {name: value for name, total in sums.items() if (value := round(total, 2))}


def _is_by_kind(name: str) -> bool:
    return "*" in name or _common_name(name) != name


def _common_name(name: str) -> str:
    """What a feature is with other kinds of turns: `*.often` for `he.often`; the same for one that has no kind."""
    return _KIND.sub(r"\1*.", name)


def chances(turns: Sequence[LabelledTurn], weights: Mapping[str, float]) -> list[list[float]]:
    """The probability of each candidate of each turn, with these weights."""

    def score(values: Features) -> float:
        return sum(weights.get(name, 0.0) * value for name, value in values.items())

    parts = [turn.features for turn in turns]
    choices = [Choice(list(own), list(map(score, own.values())), score(same), score(back)) for own, same, back in parts]
    return probabilities(choices)


@dataclass(frozen=True)
class _Known:
    """The turns of a work: who may speak, and who does."""

    whos: list[list[str]]
    rights: list[list[int]]  # all candidates where nothing is known

    def excess(self, scores: Iterator[float]) -> Iterator[float]:
        """By how much each candidate of each turn, and `same` and `back`, are more probable if it is known who speaks.

        Args:
            scores: of these.
        """
        parts = [list(islice(scores, len(who) + 2)) for who in self.whos]
        everybody = [list(range(len(who))) for who in self.whos]
        sides = zip(self._expected(parts, self.rights), self._expected(parts, everybody), strict=True)
        return (known - free for known, free in sides)

    def _expected(self, scores: Sequence[Sequence[float]], kept: Sequence[Sequence[int]]) -> Iterator[float]:
        choices = [
            Choice([who[place] for place in own], [values[place] for place in own], *values[-2:])
            for who, own, values in zip(self.whos, kept, scores, strict=True)
        ]
        for who, own, (chance, same, back) in zip(self.whos, kept, expectations(choices), strict=True):
            found = dict(zip(own, chance, strict=True))
            yield from (found.get(place, 0.0) for place in range(len(who)))
            yield same
            yield back


def _known(turns: Sequence[LabelledTurn]) -> _Known:
    whos = [list(turn.features[0]) for turn in turns]
    return _Known(whos, [sorted(turn.right) or list(range(len(who))) for turn, who in zip(turns, whos, strict=True)])


def expectations(choices: Sequence[Choice]) -> Iterator[tuple[list[float], float, float]]:
    """The probabilities of the candidates of each turn, and those of speaking `same` and `back`."""
    forward, backward = passes(choices)
    before: list[Choice] = [Choice(("",), (0.0,), 0.0, 0.0)] * 2 + list(choices)
    ahead: list[Pairs] = [[[1.0]], *forward]
    for number, behind in enumerate(backward):
        yield _expectation(before[number : number + 3], ahead[number : number + 2], behind)


def _expectation(three: Sequence[Choice], ahead: Sequence[Pairs], behind: Pairs) -> tuple[list[float], float, float]:
    (first, second, third), (earlier, forward) = three, ahead
    place_of = {who: place for place, who in enumerate(first.who)}
    again = float(np.exp(third.back))
    sums, same, back = [0.0] * len(third.who), 0.0, 0.0
    for middle, who in enumerate(second.who):
        column = sum(row[middle] for row in earlier)
        for last, candidate in enumerate(third.who):
            value = forward[middle][last] * behind[middle][last]
            sums[last] += value
            if candidate == who:
                same += value
            elif (place := place_of.get(candidate)) is not None:
                both = earlier[place][middle]
                back += value * both * again / (column + both * (again - 1))
    total = sum(sums)
    return [value / total for value in sums], same / total, back / total


class _Rows:
    """The features of candidates and links, a row each, and what they have in common."""

    def __init__(self, rows: Sequence[Features]) -> None:
        own = sorted(set().union(*rows))
        self.names = sorted({*own, *map(_common_name, own)})
        number = {name: place for place, name in enumerate(self.names)}
        both = {name: sorted({number[name], number[_common_name(name)]}) for name in own}
        cells = [
            (place, column, value)
            for place, row in enumerate(rows)
            for name, value in row.items()
            for column in both[name]
        ]
        self._row, self._name = (np.array([cell[part] for cell in cells], dtype=int) for part in (0, 1))
        self._value = np.array([cell[2] for cell in cells], dtype=float)
        self._count = len(rows)

    def scores(self, weights: Array) -> Array:
        """The score of each row."""
        return np.bincount(self._row, self._value * weights[self._name], self._count).astype(float)

    def sums(self, chances: Array) -> Array:
        """How much of each feature the rows have together, each as often as it is probable."""
        return np.bincount(self._name, self._value * chances[self._row], len(self.names)).astype(float)


def _ascend(slope: Callable[[Array], Array], count: int, steps: int) -> Array:
    """Where a slope is zero, by resilient propagation (Riedmiller and Braun 1993), from zero."""
    weights, step, before = np.zeros(count), np.full(count, _FIRST_STEP), np.zeros(count)
    for _ in range(steps):
        now = slope(weights)
        turned = now * before
        step *= np.where(turned > 0, _LONGER, np.where(turned < 0, _SHORTER, 1.0))
        step = np.clip(step, _SHORTEST, _LONGEST)
        before = np.where(turned < 0, 0.0, now)
        weights += np.sign(before) * step
    return weights
