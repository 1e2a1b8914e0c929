"""Who speaks in each turn of a dialogue, from what speaks for each person and from who spoke in the two turns before.

A linear-chain conditional random field of second order (Lafferty, McCallum and Pereira 2001) with the forward-backward
algorithm. What a turn costs grows with the square of its candidates, as transitions depend only on which are equal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Values by the numbers of the candidates of the turn before and of the turn.
Pairs = list[list[float]]


@dataclass(frozen=True)
class Choice:
    """The candidates of a turn."""

    who: Sequence[str]  # at least one, all different
    scores: Sequence[float]  # logarithms of what speaks for each
    same: float  # that of speaking in the turn before as well
    back: float  # that of speaking in the turn before that one, and not in between


def probabilities(choices: Sequence[Choice]) -> list[list[float]]:
    """The probability of each candidate of each turn; they sum to 1."""
    return [_marginal(ahead, behind) for ahead, behind in zip(*passes(choices), strict=True)]


def passes(choices: Sequence[Choice]) -> tuple[list[Pairs], list[Pairs]]:
    """What the turns up to each, with it, and those behind it say of it and of the one before.

    The products of both are, but for a factor of each turn, the probabilities of pairs. The first turn has one row.
    """
    if not choices:
        return [], []
    local = [_exponentials(choice.scores) for choice in choices]
    before = [Choice(("",), (0.0,), 0.0, 0.0), *choices]
    forward: list[Pairs] = [_scaled([local[0]])]
    for place in range(1, len(choices)):
        forward.append(_step(forward[-1], before[place - 1 : place + 2], local[place]))
    backward: list[Pairs] = [[[1.0] * len(row) for row in forward[-1]]]
    for place in range(len(choices) - 1, 0, -1):
        backward.append(_step_back(backward[-1], before[place - 1 : place + 2], local[place]))
    backward.reverse()
    return forward, backward


def _step(forward: Pairs, three: Sequence[Choice], local: Sequence[float]) -> Pairs:
    """Values of (this turn's predecessor, this turn), from those of the pair before."""
    first, second, third = three
    same, back = math.exp(third.same), math.exp(third.back) - 1
    place_of = {who: place for place, who in enumerate(first.who)}
    values = []
    for middle, who in enumerate(second.who):
        total = sum(row[middle] for row in forward)
        row = []
        for last, candidate in enumerate(third.who):
            if candidate == who:
                row.append(total * same * local[last])
            else:
                earlier = place_of.get(candidate)
                more = forward[earlier][middle] * back if earlier is not None else 0.0
                row.append((total + more) * local[last])
        values.append(row)
    return _scaled(values)


def _step_back(backward: Pairs, three: Sequence[Choice], local: Sequence[float]) -> Pairs:
    """Values of the pair before, from those of (this turn's predecessor, this turn)."""
    first, second, third = three
    same, back = math.exp(third.same), math.exp(third.back) - 1
    place_of = {who: place for place, who in enumerate(third.who)}
    values: Pairs = [[0.0] * len(second.who) for _ in first.who]
    for middle, who in enumerate(second.who):
        ahead = [value * weight for value, weight in zip(backward[middle], local, strict=True)]
        if (place := place_of.get(who)) is not None:
            ahead[place] *= same
        total = sum(ahead)
        for earlier, candidate in enumerate(first.who):
            again = place_of.get(candidate) if candidate != who else None
            values[earlier][middle] = total + (ahead[again] * back if again is not None else 0.0)
    return _scaled(values)


def _marginal(forward: Pairs, backward: Pairs) -> list[float]:
    sums = [0.0] * len(forward[0])
    for ahead, behind in zip(forward, backward, strict=True):
        for place, (one, other) in enumerate(zip(ahead, behind, strict=True)):
            sums[place] += one * other
    total = sum(sums) or 1.0
    return [value / total for value in sums]


def _exponentials(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    return [math.exp(score - most) for score in scores]


def _scaled(values: Pairs) -> Pairs:
    total = sum(map(sum, values)) or 1.0
    return [[value / total for value in row] for row in values]
