import random
from itertools import product

import pytest

from tests.book.people.test_sequence import CHOICES, weight
from tools.people_weights.fit import Prior, chances, expectations, fit
from tools.people_weights.labels import LabelledTurn
from voxmatrix.book.people.candidates import Features
from voxmatrix.book.people.sequence import Choice

WEIGHTS = {"pure.often": 1.5, "he.often": 0.6, "called": -1.2, "same.pure.1": -1.0, "back.pure.2": 1.6}


def turns_of(seed: int, length: int = 5) -> list[LabelledTurn]:
    """Turns whose speakers are drawn by WEIGHTS; a sixth of them is not known."""
    drawn = random.Random(seed)
    links = {"same.pure.1": 1.0}, {"back.pure.2": 1.0}
    features = [(_candidates(drawn), *links) for _ in range(length)]
    choices = [
        Choice(list(own), list(map(_score, own.values())), _score(same), _score(back)) for own, same, back in features
    ]
    paths = list(product(range(3), repeat=length))
    path = drawn.choices(paths, [weight(one, choices) for one in paths])[0]
    return [
        LabelledTurn(own, [], 1, frozenset({speaker} if drawn.random() > 1 / 6 else ()), "")
        for own, speaker in zip(features, path, strict=True)
    ]


def _candidates(drawn: random.Random) -> dict[str, Features]:
    kind = drawn.choice(["pure", "he"])
    people = drawn.sample(["anna", "bernard", "clara", "dora"], 3)
    return {who: {f"{kind}.often": drawn.gauss(0, 1), "called": float(drawn.random() < 0.3)} for who in people}


def _score(features: Features) -> float:
    return sum(WEIGHTS[name] * value for name, value in features.items())


def test_expectations_are_those_of_all_paths() -> None:
    paths = {path: weight(path, CHOICES) for path in product(*(range(len(choice.who)) for choice in CHOICES))}
    total = sum(paths.values())
    for place, (_, same, back) in enumerate(expectations(CHOICES)):
        spoken = {path: [choice.who[one] for choice, one in zip(CHOICES, path, strict=True)] for path in paths}
        again = {path for path, who in spoken.items() if place and who[place] == who[place - 1]}
        returned = {path for path, who in spoken.items() if place > 1 and who[place] == who[place - 2]} - again
        assert same == pytest.approx(sum(paths[path] for path in again) / total)
        assert back == pytest.approx(sum(paths[path] for path in returned) / total)


def test_weights_are_found_again() -> None:
    works = [turns_of(seed) for seed in range(800)]
    found = fit(works, Prior(by_kind=10.0, other=10.0))
    assert found == pytest.approx(WEIGHTS, abs=0.3)
    assert found == fit(works, Prior(by_kind=10.0, other=10.0))


def test_a_prior_keeps_weights_small() -> None:
    works = [turns_of(seed) for seed in range(16)]
    assert abs(fit(works, Prior(by_kind=1.0, other=0.01))["called"]) < 0.5


def test_chances_are_those_of_people() -> None:
    for own in chances(turns_of(1), WEIGHTS):
        assert sum(own) == pytest.approx(1.0)
