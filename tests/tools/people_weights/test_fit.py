import random
from itertools import product

import pytest

from tests.book.people.test_sequence import CHOICES, weight
from tools.people_weights.fit import Prior, chances, expectations, fit
from tools.people_weights.labels import LabelledTurn

WEIGHTS = {"pure.often": 1.5, "he.often": 0.6, "called": -1.2, "same.pure.1": -1.0, "back.pure.2": 1.6}
PEOPLE = ["anna", "bernard", "clara", "dora"]


def turns_of(seed: int, length: int = 40) -> list[LabelledTurn]:
    """Turns whose speakers are drawn, turn by turn, by WEIGHTS; a sixth of them is not known."""
    drawn = random.Random(seed)
    found: list[LabelledTurn] = []
    said: list[str] = []
    for _ in range(length):
        kind = drawn.choice(["pure", "he"])
        who = drawn.sample(PEOPLE, 3)
        own = {one: {f"{kind}.often": drawn.gauss(0, 1), "called": float(drawn.random() < 0.3)} for one in who}
        features = (own, {"same.pure.1": 1.0}, {"back.pure.2": 1.0})
        turn = LabelledTurn(features, [], 1, frozenset(), "")
        speaker = drawn.choices(range(3), [_likely(one, own[one], said) for one in who])[0]
        said.append(who[speaker])
        known = frozenset({speaker}) if drawn.random() > 1 / 6 else frozenset()
        found.append(LabelledTurn(turn.features, turn.sexes, turn.quotations, known, ""))
    return found


def _likely(who: str, features: dict[str, float], said: list[str]) -> float:
    score = sum(WEIGHTS[name] * value for name, value in features.items())
    if said[-1:] == [who]:
        score += WEIGHTS["same.pure.1"]
    elif said[-2:-1] == [who]:
        score += WEIGHTS["back.pure.2"]
    return float(2.718281828**score)


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
    works = [turns_of(seed) for seed in range(30)]
    found = fit(works, Prior(by_kind=10.0, other=10.0))
    assert found == pytest.approx(WEIGHTS, abs=0.3)
    assert found == fit(works, Prior(by_kind=10.0, other=10.0))


def test_a_prior_keeps_weights_small() -> None:
    works = [turns_of(seed, 20) for seed in range(4)]
    assert abs(fit(works, Prior(by_kind=1.0, other=0.01))["called"]) < 0.5


def test_chances_are_those_of_people() -> None:
    for own in chances(turns_of(1), WEIGHTS):
        assert sum(own) == pytest.approx(1.0)
