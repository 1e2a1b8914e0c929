"""What is asked for, what the run in the folder says, and what they must not disagree about."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.train.asking import preflight, settings
from tests.train.synthetic import MINI
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import UsageError
from voxmatrix.plan.batch import EFFECTIVE_BATCH
from voxmatrix.tables.quality import Quality
from voxmatrix.train.config import Recipe, make_recipe
from voxmatrix.train.planning import plan_training

OUT = Path("voice")


def recipe(
    prepared: PreparedSet, previous: dict[str, Any] | None = None, quality: Quality = MINI, **asked: Any
) -> Recipe:
    told = settings(OUT, **asked)
    return make_recipe(told, plan_training(prepared, told, preflight(), previous), prepared, quality, previous)


def test_what_nobody_asked_for_is_the_default(prepared: PreparedSet) -> None:
    made = recipe(prepared)
    assert made.batch_size * made.accumulation == EFFECTIVE_BATCH
    assert made.learning_rate == MINI.learning_rate


def test_what_is_asked_for_wins(prepared: PreparedSet) -> None:
    assert recipe(prepared, batch_size=3, seed=0, clip_norm=0.0).plain()["batch_size"] == 3
    assert recipe(prepared, seed=0).seed == 0


def test_a_run_goes_on_with_its_own_settings_when_they_are_not_repeated(prepared: PreparedSet) -> None:
    previous = recipe(prepared, batch_size=3, learning_rate=1e-3, start_from=Path("old.ckpt")).plain()
    assert recipe(prepared, previous).plain() == previous


def test_a_quality_starts_its_discriminators_late_only_from_scratch(prepared: PreparedSet) -> None:
    late = replace(MINI, discriminator_start=7)
    made = recipe(prepared, quality=late).plain()
    assert made["discriminator_start"] == 7
    assert recipe(prepared, made, quality=late).discriminator_start == 7
    assert recipe(prepared, quality=late, discriminator_start=0).discriminator_start == 0
    assert recipe(prepared, quality=late, start_from=Path("old.ckpt")).discriminator_start == 0
    del made["discriminator_start"]  # a run of an earlier version
    assert recipe(prepared, made, quality=late).discriminator_start == 0


def test_a_contradiction_is_refused_with_both_values_and_the_flag(prepared: PreparedSet) -> None:
    previous = recipe(prepared, batch_size=3).plain()
    with pytest.raises(UsageError) as caught:
        recipe(prepared, previous, batch_size=5)
    assert "`batch_size` was 3, is 5" in caught.value.problem
    assert "`fresh`" in caught.value.remedy
    assert str(OUT / "last.ckpt") in caught.value.remedy


def test_every_contradiction_is_named_at_once(prepared: PreparedSet) -> None:
    previous = recipe(prepared).plain()
    changed = replace(prepared, digest="other", language="sv", speakers=("a", "b"), id_map={"a": [7]})
    with pytest.raises(UsageError) as caught:
        recipe(changed, previous, seed=9)
    for name in ("the recordings", "`language`", "the speakers", "the symbol table", "`seed`"):
        assert name in caught.value.problem


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"batch_size": -2}, "--batch-size"),
        ({"accumulation": -1}, "--accumulation"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"max_steps": 0}, "max_steps"),
        ({"epochs": 0}, "epochs"),
        ({"keep": 0}, "keep"),
        ({"log_every": 0}, "log_every"),
        ({"validate_every": 0}, "validate_every"),
        ({"checkpoint_every": 0}, "checkpoint_every"),
        ({"workers": -1}, "--workers"),
        ({"threads": -2}, "threads"),
        ({"clip_norm": -1.0}, "clip_norm"),
        ({"discriminator_start": -1}, "discriminator_start"),
        ({"max_batch_seconds": -1.0}, "max_batch_seconds"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"precision": "8"}, "precision"),
        ({"learning_rate": float("nan")}, "learning_rate"),
    ],
)
def test_nonsense_is_refused_by_the_name_of_its_setting(
    prepared: PreparedSet, asked: dict[str, Any], name: str
) -> None:
    with pytest.raises(UsageError, match=name):
        recipe(prepared, **asked)
