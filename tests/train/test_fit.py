"""A training from end to end, with a voice small enough for it."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from app.dataset.prepared import PreparedSet
from app.errors import BadInputError, NoDeviceError, UnreachableError, UsageError
from app.train import checkpoints, loop
from app.train.lock import locked
from app.train.settings import RATE_DECAY
from app.train.watch import QuietWatch, Report, Start
from tests.train.conftest import Fit
from tests.train.synthetic import MINI, prepared_set


class Notes(QuietWatch):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.starts: list[Start] = []
        self.steps: list[int] = []
        self.reports: list[Report] = []
        self.validations: list[tuple[int, float, bool]] = []
        self.saves: list[int] = []
        self.warnings: list[str] = []
        self.over = 0

    def started(self, start: Start) -> None:
        self.starts.append(start)

    def stepped(self, step: int) -> None:
        self.steps.append(step)

    def reported(self, report: Report) -> None:
        self.reports.append(report)

    def validated(self, step: int, mel: float, best: bool) -> None:
        self.validations.append((step, mel, best))

    def saved(self, path: Path, step: int) -> None:
        self.saves.append(step)

    def warned(self, sentence: str) -> None:
        self.warnings.append(sentence)

    def ended(self) -> None:
        self.over += 1


def content(path: Path) -> dict[str, Any]:
    return torch.load(path, weights_only=True)  # type: ignore[no-any-return]


def weights(path: Path) -> dict[str, Tensor]:
    """Weights and the optimisers' averages."""
    read = content(path)
    found: dict[str, Tensor] = dict(read["state_dict"])
    for network, states in read["voxmatrix"]["optimisers"].items():
        if network != "scaler":
            found |= {f"{network} {name} {key}": t for name, state in states.items() for key, t in state.items()}
    return found


def assert_bit_equal(one: Path, other: Path) -> None:
    ours, theirs = weights(one), weights(other)
    assert ours.keys() == theirs.keys()
    different = [name for name in ours if not torch.equal(ours[name], theirs[name])]
    assert not different


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_training_leaves_all_that_the_next_command_needs(run: Fit) -> None:
    result = run(max_steps=12, log_every=4, validate_every=6, checkpoint_every=5)

    there = {path.name for path in result.out.iterdir() if not path.name.startswith(".")}
    steps = {checkpoints.step_name(5), checkpoints.step_name(10)}
    assert there == {
        "last.ckpt",
        "best.ckpt",
        "voice.json",
        "run.json",
        "metrics.csv",
        "tensorboard",
        "samples",
        *steps,
    }
    assert {path.name for path in (result.out / "samples").iterdir()} == {
        f"step-{step:09}.{kind}" for step in (6, 10, 12) for kind in ("wav", "png")
    }
    assert [row["step"] for row in rows(result.out)] == ["4", "6", "8", "10", "12", "12"]
    card = json.loads((result.out / "voice.json").read_text())
    assert (card["audio"]["sample_rate"], card["num_symbols"], card["num_speakers"]) == (16000, 256, 1)
    assert content(result.last)["voxmatrix"]["card"] == card
    assert result.steps == 12
    assert result.losses["mel"] > 0


def test_the_counter_counts_batches_and_not_optimisers(run: Fit, prepared: PreparedSet) -> None:
    notes = Notes()
    result = run(max_steps=7, watch=notes)
    assert notes.steps == [1, 2, 3, 4, 5, 6, 7]
    read = content(result.last)
    assert read["global_step"] == 7
    assert {int(state["step"]) for state in read["voxmatrix"]["optimisers"]["generator"].values()} == {7}


def test_epochs_end_a_training_after_so_many_passes(run: Fit) -> None:
    notes = Notes()
    result = run(max_steps=None, epochs=2, watch=notes)  # 11 clips to learn from in batches of 4: 3 steps
    assert result.steps == 6
    assert notes.starts[0].total_steps == 6
    assert content(result.last)["epoch"] == 2


def test_whichever_limit_comes_first_ends_it(run: Fit) -> None:
    assert run(max_steps=4, epochs=50).steps == 4
    assert run(max_steps=500, epochs=2).steps == 6


def test_accumulation_takes_several_batches_to_one_step(run: Fit) -> None:
    assert run(max_steps=None, epochs=2, accumulation=2).steps == 4


def test_the_learning_rate_falls_once_an_epoch_in_both_networks(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[tuple[float, float]] = []
    real = loop.update

    def noting(networks: Any, optimisers: Any, clip_norm: float) -> None:
        rates.append((optimisers.generator.param_groups[0]["lr"], optimisers.discriminator.param_groups[0]["lr"]))
        real(networks, optimisers, clip_norm)

    monkeypatch.setattr(loop, "update", noting)
    run(max_steps=None, epochs=3)
    run(max_steps=None, epochs=4)

    expected = [MINI.learning_rate * RATE_DECAY ** (step // 3) for step in range(12)]
    assert rates == [(pytest.approx(rate, rel=1e-12),) * 2 for rate in expected]


def test_a_run_that_is_stopped_and_goes_on_ends_bit_equal_to_one_that_never_stopped(run: Fit, tmp_path: Path) -> None:
    whole = run(out=tmp_path / "whole", max_steps=11)
    for steps in (2, 5, 6, 11):
        parts = run(out=tmp_path / "parts", max_steps=steps)
    assert_bit_equal(parts.last, whole.last)
    assert content(parts.last)["voxmatrix"]["progress"]["step"] == 11


def test_workers_do_not_change_what_is_learned(run: Fit, tmp_path: Path) -> None:
    alone = run(out=tmp_path / "alone", max_steps=5)
    helped = run(out=tmp_path / "helped", max_steps=5, workers=2)
    assert_bit_equal(alone.last, helped.last)


def test_what_may_change_at_a_resume_does_not_change_what_is_learned(run: Fit, tmp_path: Path) -> None:
    whole = run(out=tmp_path / "whole", max_steps=6)
    run(out=tmp_path / "parts", max_steps=3, validate_every=1, checkpoint_every=1, log_every=1, keep=1)
    parts = run(out=tmp_path / "parts", max_steps=6, batch_size=None)
    assert_bit_equal(parts.last, whole.last)


def test_a_finished_run_has_nothing_left_to_do(run: Fit) -> None:
    first = run(max_steps=3)
    before = first.last.stat().st_mtime_ns
    notes = Notes()
    again = run(max_steps=3, watch=notes)
    assert (again.steps, notes.steps, again.losses) == (3, [], {})
    assert again.validation_mel == first.validation_mel
    assert first.last.stat().st_mtime_ns == before


def test_a_resumed_run_says_from_where(run: Fit) -> None:
    notes = Notes()
    run(max_steps=2)
    run(max_steps=3, watch=notes)
    assert notes.starts[0].came_from == "goes on from last.ckpt, step 2"
    assert notes.starts[0].step == 2


def test_other_settings_are_refused_and_the_run_is_left_alone(run: Fit) -> None:
    last = run(max_steps=2).last
    before = last.read_bytes()
    with pytest.raises(UsageError, match="--batch-size was 4, is 3"):
        run(max_steps=4, batch_size=3)
    assert last.read_bytes() == before


def test_other_recordings_are_refused(run: Fit, prepared: PreparedSet) -> None:
    run(max_steps=2)
    with pytest.raises(UsageError, match="the recordings"):
        run(max_steps=4, prepared=replace(prepared, digest="one more"))


def test_fresh_moves_the_old_run_aside_and_begins_anew(run: Fit) -> None:
    first = run(max_steps=3)
    old = first.last.read_bytes()
    second = run(max_steps=2, batch_size=3, fresh=True)
    assert second.steps == 2
    assert (second.out / "previous-1" / "last.ckpt").read_bytes() == old
    run(max_steps=1, fresh=True)
    assert (second.out / "previous-2" / "last.ckpt").is_file()


def test_fresh_in_an_empty_folder_moves_nothing(run: Fit) -> None:
    assert not list(run(max_steps=1, fresh=True).out.glob("previous-*"))


def test_two_trainings_in_one_folder_are_refused(run: Fit, tmp_path: Path) -> None:
    with locked(tmp_path / "run"), pytest.raises(UsageError, match="another training"):
        run()


def test_the_best_checkpoint_is_the_one_with_the_lowest_validation_loss(run: Fit) -> None:
    notes = Notes()
    result = run(max_steps=12, validate_every=3, watch=notes)
    lowest = min(notes.validations, key=lambda validation: validation[1])
    assert content(result.best)["global_step"] == lowest[0]
    assert result.validation_mel == lowest[1]
    assert [step for step, _, _ in notes.validations] == [3, 6, 9, 10, 12]


def test_validation_gives_the_same_figure_for_the_same_weights(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    monkeypatch.setattr(loop, "update", lambda *_: None)
    run(max_steps=4, validate_every=2, watch=notes)
    assert notes.validations[0][1] == notes.validations[1][1]


def test_the_clock_saves_too_so_that_a_power_cut_costs_minutes_at_most(run: Fit) -> None:
    notes = Notes()
    run(max_steps=3, save_minutes=0.0, watch=notes)
    assert notes.saves == [1, 2, 3]


def test_losses_that_are_no_numbers_end_the_training_and_spare_the_last_good_file(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = run(max_steps=2).last
    before = last.read_bytes()
    real = loop.gradients

    def ruined(*given: Any, **more: Any) -> dict[str, Tensor]:
        return {**real(*given, **more), "kl": torch.tensor(float("nan"))}

    monkeypatch.setattr(loop, "gradients", ruined)
    with pytest.raises(BadInputError, match="step 3: kl is no number") as caught:
        run(max_steps=9, validate_every=1)
    assert last.read_bytes() == before
    assert "--learning-rate" in caught.value.remedy


def test_a_disk_that_fills_up_during_training_leaves_the_last_good_checkpoint(
    run: Fit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = run(out=tmp_path / "whole", max_steps=6)
    real = checkpoints.write

    def full_at_step_4(path: Path, to_write: Any) -> None:
        if to_write["global_step"] == 4:
            raise UnreachableError(f"cannot write {path}: No space left on device", "free some space there")
        real(path, to_write)

    with monkeypatch.context() as patched, pytest.raises(UnreachableError, match="No space left"):
        patched.setattr(checkpoints, "write", full_at_step_4)
        run(max_steps=6, checkpoint_every=2)
    assert content(tmp_path / "run" / "last.ckpt")["global_step"] == 2
    assert_bit_equal(run(max_steps=6, checkpoint_every=2).last, whole.last)


def test_several_speakers_and_bfloat16_train(run: Fit, tmp_path: Path) -> None:
    several = prepared_set(tmp_path / "several", speakers=("ann", "bob", "cyd"))
    result = run(prepared=several, max_steps=2, precision="bf16")
    assert content(result.last)["state_dict"]["model_g.emb_g.weight"].size(0) == 3
    assert json.loads((result.out / "voice.json").read_text())["speaker_id_map"] == {"ann": 0, "bob": 1, "cyd": 2}


def test_an_empty_set_is_bad_input(run: Fit, prepared: PreparedSet) -> None:
    with pytest.raises(BadInputError, match="no recording"):
        run(prepared=replace(prepared, clips=()))


def test_a_device_that_is_not_there_is_said(run: Fit) -> None:
    with pytest.raises(NoDeviceError, match="cuda:99"):
        run(device="cuda:99")


@pytest.mark.parametrize(("device", "precision"), [("gpu0", "32"), ("cuda:x", "32"), ("cpu", "16")])
def test_a_device_or_precision_that_makes_no_sense_is_usage(run: Fit, device: str, precision: str) -> None:
    with pytest.raises(UsageError):
        run(device=device, precision=precision)


@pytest.mark.gpu
def test_a_gpu_trains_in_every_precision(run: Fit, tmp_path: Path) -> None:
    for precision in ("32", "bf16", "16"):
        result = run(out=tmp_path / precision, device="cuda:0", precision=precision, max_steps=12)
        assert result.losses["mel"] > 0
