import math
from itertools import product

import pytest

from voxmatrix.book.people.sequence import Choice, probabilities

CHOICES = [
    Choice(("a", "b"), (0.3, -0.2), 0.0, 0.0),
    Choice(("b", "c", "a"), (0.1, 0.5, -1.0), -2.0, 0.0),
    Choice(("c", "a"), (0.0, 0.2), -1.0, 1.5),
    Choice(("a", "d"), (0.4, 0.0), -1.5, 2.0),
    Choice(("d", "b", "c", "a"), (0.0, 0.1, 0.2, 0.3), -0.5, 1.0),
]


def weight(path: tuple[int, ...], choices: list[Choice]) -> float:
    who = [choice.who[place] for choice, place in zip(choices, path, strict=True)]
    score = sum(choice.scores[place] for choice, place in zip(choices, path, strict=True))
    for place, choice in enumerate(choices):
        if place and who[place] == who[place - 1]:
            score += choice.same
        elif place > 1 and who[place] == who[place - 2]:
            score += choice.back
    return math.exp(score)


def test_they_are_those_of_all_paths() -> None:
    paths = {path: weight(path, CHOICES) for path in product(*(range(len(choice.who)) for choice in CHOICES))}
    total = sum(paths.values())
    for place, found in enumerate(probabilities(CHOICES)):
        for candidate, probability in enumerate(found):
            wanted = sum(value for path, value in paths.items() if path[place] == candidate) / total
            assert probability == pytest.approx(wanted)


def test_none_and_very_many() -> None:
    assert probabilities([]) == []
    assert probabilities(CHOICES[1:2] * 3000)[-1] == pytest.approx(probabilities(CHOICES[1:2] * 300)[-1])
