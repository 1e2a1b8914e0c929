"""What is measured, in figures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tools.people_weights.fit import Prior, chances, fit
from tools.people_weights.labels import LabelledTurn
from tools.people_weights.pdnc import Result
from voxmatrix.book.people.cast import SEX_SURE, SURE

_FOLDS = 5
_THRESHOLDS = (0.8, 0.85, 0.9, 0.95, 0.97)


@dataclass(frozen=True)
class Folds:
    """What was found for the turns of the folds that were left out."""

    logarithms: list[
        float
    ]  # of the probability of the speaker, where a candidate is the speaker and another one is not
    people: list[tuple[float, bool]]  # how sure, and whether it is right, for each quotation
    sexes: list[tuple[float, bool]]

    def told(self) -> str:
        """All of it in a few lines."""
        lines = [f"mean logarithm {sum(self.logarithms) / len(self.logarithms):.4f}"]
        for least in _THRESHOLDS:
            lines.append(f"  {least:.2f}: name {_given_away(self.people, least)}, sex {_given_away(self.sexes, least)}")
        return "\n".join(lines)


def of_folds(works: Sequence[Sequence[LabelledTurn]], prior: Prior) -> Folds:
    """Each fifth of the works with weights that were fitted on the other ones."""
    found = Folds([], [], [])
    for fold in range(_FOLDS):
        weights = fit([turns for number, turns in enumerate(works) if number % _FOLDS != fold], prior)
        for turns in works[fold::_FOLDS]:
            for turn, own in zip(turns, chances(turns, weights), strict=True):
                _add(found, turn, own)
    return found


def _add(found: Folds, turn: LabelledTurn, own: Sequence[float]) -> None:
    if not turn.quotations:
        return
    best = max(range(len(own)), key=own.__getitem__)
    found.people.extend([(own[best], best in turn.right)] * turn.quotations)
    if turn.sex:
        by_sex = {
            sex: sum(chance for chance, one in zip(own, turn.sexes, strict=True) if one == sex) for sex in ("m", "f")
        }
        likely = max(by_sex, key=lambda sex: by_sex[sex])
        found.sexes.extend([(by_sex[likely], likely == turn.sex)] * turn.quotations)
    if 0 < len(turn.right) < len(own):
        found.logarithms.append(math.log(max(1e-9, sum(own[place] for place in turn.right))))


def of_results(results: Sequence[Result]) -> str:
    """Of quotations of a novel or more: what is right, and of what is given away."""
    people = [(one.sure, one.right) for one in results]
    sexes = [(one.sex_sure, one.sex) for one in results if one.sex is not None]
    right = sum(is_right for _, is_right in people) / len(people)
    return f"{right:.1%} right; name {_given_away(people, SURE)}; sex {_given_away(sexes, SEX_SURE)}"


def _given_away(found: Sequence[tuple[float, bool]], least: float) -> str:
    given = [is_right for sure, is_right in found if sure >= least]
    return f"{len(given) / max(1, len(found)):.1%} at {sum(given) / max(1, len(given)):.1%}"
