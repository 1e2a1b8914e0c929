"""What the loop counts, and what it does now and then."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.train.conftest import Fit
from tests.train.runs import Notes, assert_bit_equal, content, rows
from tests.train.synthetic import MINI
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError
from voxmatrix.judge.hearing import Heard
from voxmatrix.train import loop as loop_module
from voxmatrix.train.config import RATE_DECAY
from voxmatrix.train.step import stepper


def test_the_counter_counts_batches_and_not_optimisers(run: Fit, prepared: PreparedSet) -> None:
    notes = Notes()
    result = run(max_steps=7, progress=notes)
    assert notes.steps == [1, 2, 3, 4, 5, 6, 7]
    read = content(result.last)
    assert read["global_step"] == 7
    assert {int(state["step"]) for state in read["voxmatrix"]["optimisers"]["generator"].values()} == {7}


def test_epochs_end_a_training_after_so_many_passes(run: Fit) -> None:
    notes = Notes()
    result = run(max_steps=None, epochs=2, progress=notes)  # 11 clips to learn from in batches of 4: 3 steps
    assert result.steps == 6
    assert notes.starts[0].total_steps == 6
    assert content(result.last)["epoch"] == 2


def test_whichever_limit_comes_first_ends_it(run: Fit) -> None:
    assert run(max_steps=4, epochs=50).steps == 4
    assert run(max_steps=90, epochs=2).steps == 6


def test_accumulation_takes_several_batches_to_one_step(run: Fit) -> None:
    assert run(max_steps=None, epochs=2, accumulation=2).steps == 4


def test_the_learning_rate_falls_once_an_epoch_in_both_networks(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[tuple[float, float]] = []
    real = stepper.update

    def noting(networks: Any, optimisers: Any, clip_norm: float) -> None:
        rates.append((optimisers.generator.param_groups[0]["lr"], optimisers.discriminator.param_groups[0]["lr"]))
        real(networks, optimisers, clip_norm)

    monkeypatch.setattr(stepper, "update", noting)
    run(max_steps=None, epochs=3)
    run(max_steps=None, epochs=4)

    expected = [MINI.learning_rate * RATE_DECAY ** (step // 3) for step in range(12)]
    assert rates == [(pytest.approx(rate, rel=1e-12),) * 2 for rate in expected]


def test_the_discriminators_start_late_if_asked_for_and_a_resumed_run_keeps_to_that(run: Fit, tmp_path: Path) -> None:
    run(max_steps=2, discriminator_start=3, log_every=1)
    untrained = content(tmp_path / "run" / "last.ckpt")["voxmatrix"]["optimisers"]["discriminator"]
    result = run(max_steps=5, log_every=1)
    assert [row["discriminator"] != "" for row in rows(tmp_path / "run") if row["mel"]] == [False] * 3 + [True] * 2
    assert not any(untrained.values())
    trained = content(result.last)["voxmatrix"]["optimisers"]
    assert {int(state["step"]) for state in trained["discriminator"].values()} == {2}
    assert {int(state["step"]) for state in trained["generator"].values()} == {5}


def test_a_finished_run_has_nothing_left_to_do(run: Fit) -> None:
    first = run(max_steps=3)
    before = first.last.stat().st_mtime_ns
    notes = Notes()
    again = run(max_steps=3, progress=notes)
    assert (again.steps, notes.steps, again.losses) == (3, [], {})
    assert again.validation_mel == first.validation_mel
    assert first.last.stat().st_mtime_ns == before


def test_the_best_checkpoint_is_the_one_with_the_lowest_validation_loss(run: Fit) -> None:
    notes = Notes()
    result = run(max_steps=12, validate_every=3, progress=notes)
    lowest = min(notes.validations, key=lambda validation: validation[1])
    assert content(result.best)["global_step"] == lowest[0]
    assert result.validation_mel == lowest[1]
    assert [step for step, _, _ in notes.validations] == [3, 6, 9, 10, 12]


def test_validation_gives_the_same_figure_for_the_same_weights(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    monkeypatch.setattr(stepper, "update", lambda *_: None)
    run(max_steps=4, validate_every=2, progress=notes)
    assert notes.validations[0][1] == notes.validations[1][1]


def test_the_clock_saves_too_so_that_a_power_cut_costs_minutes_at_most(run: Fit) -> None:
    notes = Notes()
    run(max_steps=3, save_minutes=0.0, progress=notes)
    assert notes.saves == [1, 2, 3]


def test_losses_that_are_no_numbers_end_the_training_and_spare_the_last_good_file(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = run(max_steps=2).last
    before = last.read_bytes()
    real = stepper.gradients

    def ruined(*given: Any, **more: Any) -> dict[str, Tensor]:
        return {**real(*given, **more), "kl": torch.tensor(float("nan"))}

    monkeypatch.setattr(stepper, "gradients", ruined)
    with pytest.raises(BadInputError, match="step 3: kl is not finite") as caught:
        run(max_steps=9, validate_every=1)
    assert last.read_bytes() == before
    assert "`learning_rate`" in caught.value.remedy


def test_weights_that_are_no_numbers_end_the_training_before_a_sample_is_spoken(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voxmatrix.train.loop.validation_mel", lambda *_: float("nan"))
    monkeypatch.setattr("voxmatrix.train.monitor.samples.SampleSpeaker.__call__", lambda *_: pytest.fail("it spoke"))
    with pytest.raises(BadInputError, match="diverged at step 1: validation_mel is not finite"):
        run(max_steps=2, validate_every=1)


def test_losses_and_time_left_are_shown_from_the_second_step_on_where_they_are_due(run: Fit, tmp_path: Path) -> None:
    class Watched(Notes):
        def due(self) -> bool:
            return True

    watched, unwatched = Watched(), Notes()
    seen = run(out=tmp_path / "seen", max_steps=7, log_every=5, progress=watched)
    unseen = run(out=tmp_path / "unseen", max_steps=7, log_every=5, progress=unwatched)
    assert [report.step for report in watched.reports] == [2, 3, 4, 5, 6, 7]
    assert [report.step for report in unwatched.reports] == [5, 7]
    assert all(report.losses and report.steps_per_second > 0 for report in watched.reports)
    assert watched.reports[0].seconds_left > 0
    assert seen.losses == unseen.losses  # showing them changes nothing


def no_better_after(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let validations find the voice better at every step up to this one, and worse from then on."""
    figures = iter([1.0 / number if number <= step else 1.0 for number in range(1, 100)])
    monkeypatch.setattr(loop_module, "validation_mel", lambda *_: next(figures))
    monkeypatch.setattr(loop_module.SampleSpeaker, "__call__", lambda *_: None)  # pictures take seconds


def test_patience_ends_a_training_that_gets_no_better_and_the_best_checkpoint_is_kept(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_better_after(2, monkeypatch)
    notes = Notes()
    result = run(max_steps=9, validate_every=1, patience=3, progress=notes)
    assert (result.steps, result.best_step, result.stalled) == (5, 2, True)
    assert content(result.best)["global_step"] == 2
    assert content(result.last)["global_step"] == 5
    assert notes.warnings == [
        "no better since step 2, of which best.ckpt is, in 3 validations: this ends the training, as `patience` says"
    ]
    assert [row["step"] for row in rows(result.out) if row["validation_mel"]] == ["1", "2", "3", "4", "5"]


def test_a_run_that_has_stalled_goes_on_only_with_more_patience(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    no_better_after(1, monkeypatch)
    run(max_steps=9, validate_every=1, patience=2)
    notes = Notes()
    assert run(max_steps=9, validate_every=1, patience=2, progress=notes).steps == 3
    assert notes.warnings == [
        "no better since step 1, of which best.ckpt is, in 2 validations: a larger `patience` goes on"
    ]
    assert run(max_steps=9, validate_every=1, patience=4).steps == 5


@pytest.mark.slow
def test_without_patience_it_is_only_told(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    no_better_after(1, monkeypatch)
    notes = Notes()
    result = run(max_steps=14, validate_every=1, progress=notes)
    assert (result.steps, result.stalled) == (14, False)
    assert notes.warnings == [
        "no better since step 1, of which best.ckpt is, in 10 validations: `patience` would end the training by itself"
    ]


class Deaf:
    """Hears nothing of what is said."""

    def __init__(self, *_: object) -> None: ...

    def hear(self, samples: Any, rate_hz: int) -> Heard:
        return Heard("", 0.0)


def test_with_a_judge_the_words_are_heard_at_validations_and_written_down(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_module, "Recogniser", Deaf)
    notes = Notes()
    result = run(max_steps=4, validate_every=4, judge="base", progress=notes)
    assert notes.words_wrong == [1.0]
    assert [row["words_wrong"] for row in rows(result.out) if row["validation_mel"]] == ["1"]
    unheard = Notes()
    run(max_steps=8, validate_every=4, progress=unheard)
    assert unheard.words_wrong == [None]


def test_hearing_words_changes_nothing_of_what_is_learned(
    run: Fit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_module, "Recogniser", Deaf)
    heard = run(out=tmp_path / "heard", max_steps=5, validate_every=2, judge="base")
    unheard = run(out=tmp_path / "unheard", max_steps=5, validate_every=2)
    assert_bit_equal(heard.last, unheard.last)
