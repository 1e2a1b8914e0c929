"""Fits the weights of `voxmatrix.book.people.sequence` to turns whose speakers are known.

The weights make the known speakers as probable as they can, with a Gaussian prior around zero. Turns whose speaker is not
known, or is no candidate, count with all their candidates.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from tools.people_weights.labels import LabelledTurn
from voxmatrix.book.people.candidates import Features
from voxmatrix.book.people.sequence import Choice, Pairs, passes, probabilities

#: Steps of the ascent, each of which makes the step of a weight longer if its slope has the sign that it had, else shorter.
_STEPS = 120
_FIRST_STEP, _LONGEST, _SHORTEST = 0.1, 1.0, 1e-5
_LONGER, _SHORTER = 1.2, 0.5

Array = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class _Known:
    """The turns of a work: what the scores of their candidates are, and who is right."""

    whos: list[list[str]]
    rights: list[list[int]]  # all candidates where nothing is known

    def expected(self, scores: Sequence[Sequence[float]], *, known: bool) -> Iterator[float]:
        """For each turn: the probability of each candidate, and those of speaking `same` and `back`.

        Args:
            scores: of the candidates of each turn, and of `same` and `back`.
            known: whether only those who are right may speak.
        """
        choices = []
        for who, right, (*own, same, back) in zip(self.whos, self.rights, scores, strict=True):
            kept = right if known else range(len(who))
            choices.append(Choice([who[place] for place in kept], [own[place] for place in kept], same, back))
        chances, links = probabilities(choices), _links(choices)
        for who, right, chance, link in zip(self.whos, self.rights, chances, links, strict=True):
            own = [0.0] * len(who)
            for place, value in zip(right if known else range(len(who)), chance, strict=True):
                own[place] = value
            yield from own
            yield from link


def _links(choices: Sequence[Choice]) -> Iterator[tuple[float, float]]:
    """The probabilities of speaking `same` and `back` in each turn."""
    forward, backward = passes(choices)
    for number, choice in enumerate(choices):
        if not number:
            yield 0.0, 0.0
            continue
        first = choices[number - 2].who if number > 1 else ("",)
        yield _link(forward[number - 1], forward[number], backward[number], (first, choices[number - 1].who), choice)


def _link(
    earlier: Pairs, forward: Pairs, backward: Pairs, before: tuple[Sequence[str], Sequence[str]], choice: Choice
) -> tuple[float, float]:
    first, second = before
    same = back = total = 0.0
    again = np.exp(choice.back)
    for middle, who in enumerate(second):
        column = sum(row[middle] for row in earlier)
        for last, candidate in enumerate(choice.who):
            value = forward[middle][last] * backward[middle][last]
            total += value
            if candidate == who:
                same += value
            elif candidate in first:
                both = earlier[first.index(candidate)][middle]
                back += value * both * again / (column + both * (again - 1))
    return same / total, back / total


class _Rows:
    """The features of candidates and links, a row each."""

    def __init__(self, rows: Sequence[Features]) -> None:
        self.names = sorted(set().union(*rows))
        number = {name: place for place, name in enumerate(self.names)}
        self._row = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        self._name = np.array([number[name] for row in rows for name in row], dtype=int)
        self._value = np.array([value for row in rows for value in row.values()])
        self._count = len(rows)

    def scores(self, weights: Array) -> Array:
        """The score of each row."""
        return np.bincount(self._row, self._value * weights[self._name], self._count)

    def sums(self, chances: Array) -> Array:
        """How much of each feature rows have together, each as often as it is probable."""
        return np.bincount(self._name, self._value * chances[self._row], len(self.names))


def fit(works: Sequence[Sequence[LabelledTurn]], variance: float, steps: int = _STEPS) -> dict[str, float]:
    """The weights of all features, without those that are 0 when rounded.

    Args:
        works: the turns of each, in order.
        variance: of the prior of each weight.
        steps: of the ascent.
    """
    works = [turns for turns in works if turns]
    rows = _Rows([row for turns in works for turn in turns for row in (*turn.features[0].values(), *turn.features[1:])])
    known = [_known(turns) for turns in works]

    def slope(weights: Array) -> Array:
        scores = iter(rows.scores(weights).tolist())
        parts = [[[next(scores) for _ in range(len(who) + 2)] for who in one.whos] for one in known]
        sides = [
            np.fromiter(chain.from_iterable(one.expected(own, known=side) for one, own in zip(known, parts)), float)
            for side in (True, False)
        ]
        return rows.sums(sides[0] - sides[1]) - weights / variance

    found = _ascend(slope, len(rows.names), steps)
    return {name: value for name, weight in zip(rows.names, found, strict=True) if (value := round(float(weight), 2))}


def _known(turns: Sequence[LabelledTurn]) -> _Known:
    whos = [list(turn.features[0]) for turn in turns]
    return _Known(whos, [sorted(turn.right) or list(range(len(who))) for turn, who in zip(turns, whos, strict=True)])


def _ascend(slope: Callable[[Array], Array], count: int, steps: int) -> Array:
    """Where a slope is zero, by resilient propagation (Riedmiller and Braun 1993), from zero."""
    weights, step, before = np.zeros(count), np.full(count, _FIRST_STEP), np.zeros(count)
    for _ in range(steps):
        now = slope(weights)
        turned = now * before
        step = np.clip(np.where(turned > 0, step * _LONGER, np.where(turned < 0, step * _SHORTER, step)), _SHORTEST, _LONGEST)
        now = np.where(turned < 0, 0.0, now)
        weights += np.sign(now) * step
        before = now
    return weights


def score(values: Features, weights: Mapping[str, float]) -> float:
    """What features weigh together."""
    return sum(weights.get(name, 0.0) * value for name, value in values.items())


def chances(turns: Sequence[LabelledTurn], weights: Mapping[str, float]) -> list[list[float]]:
    """The probability of each candidate of each turn, with these weights."""
    choices = []
    for turn in turns:
        own, same, back = turn.features
        scores = [score(values, weights) for values in own.values()]
        choices.append(Choice(list(own), scores, score(same, weights), score(back, weights)))
    return probabilities(choices)
