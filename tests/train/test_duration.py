"""What is known before the first step about the end of a training."""

from pathlib import Path
from typing import Any

import pytest

from tests.machine.measured import measurement
from tests.train.asking import HERE
from tests.train.conftest import Fit
from tests.train.runs import Notes
from tests.train.synthetic import MINI
from tests.train.test_config import recipe
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.machine.profile import Profile, ProfiledCpu
from voxmatrix.machine.profile_store import keep
from voxmatrix.tables.quality import qualities
from voxmatrix.tables.training import CpuSpeed, cpu_speed
from voxmatrix.train import duration
from voxmatrix.train.duration import in_words, steps_left


def lines(run: Fit, **settings: Any) -> str:
    notes = Notes()
    run(progress=notes, **settings)
    return "\n".join(notes.starts[0].decisions)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3, "1 minute"), (89, "1 minute"), (1800, "30 minutes"), (7300, "2 hours"), (200_000, "2 days")],
)
def test_a_duration_is_rounded_to_its_largest_unit(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_the_default_number_of_epochs_is_shown_and_a_given_one_is_not(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duration, "DEFAULT_EPOCHS", 1)
    monkeypatch.setattr("voxmatrix.train.step.stepper.DEFAULT_EPOCHS", 1)
    assert "epochs 1: the default" in lines(run, max_steps=None)
    assert "epochs" not in lines(run, max_steps=None, epochs=2)


def test_an_unmeasured_device_has_an_unknown_duration_and_the_next_run_knows_it(run: Fit) -> None:
    assert "duration unknown before the second of 3 steps" in lines(run, max_steps=3, log_every=2)
    assert "duration about 1 minute: 2 steps of" in lines(run, max_steps=5)


def test_a_cpu_is_estimated_from_the_table(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    row = CpuSpeed(clip_seconds=1.0, second_seconds=0.5, without_discriminators=0.25)
    monkeypatch.setattr(duration, "cpu_speed", {MINI.name: row}.get)
    assert "duration about 1 minute: 1 step of" in lines(run, max_steps=1, threads=1)


def test_steps_with_discriminators_count_as_several_of_those_without(
    prepared: PreparedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = CpuSpeed(clip_seconds=1.0, second_seconds=0.5, without_discriminators=0.25)
    monkeypatch.setattr(duration, "cpu_speed", {MINI.name: row}.get)
    late = recipe(prepared, discriminator_start=6)
    assert steps_left(late, 2, 10) == 4 + 4 * 4
    assert steps_left(late, 2, 5) == 3  # ends before they start
    assert steps_left(late, 6, 10) == 4


def test_the_duration_knows_that_steps_get_longer(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    row = CpuSpeed(clip_seconds=100.0, second_seconds=0.0, without_discriminators=0.25)
    monkeypatch.setattr(duration, "cpu_speed", {MINI.name: row}.get)
    # Batches of 11 clips in 3 steps: 367 s with discriminators.
    text = lines(run, max_steps=2, discriminator_start=1, threads=1)
    assert "duration about 8 minutes: 2 steps of 92 s at first" in text
    assert "discriminators after step 1: until then a step takes 25 % of the time" in text


def test_what_tune_measured_on_this_device_is_preferred_to_the_table(run: Fit, tmp_path: Path) -> None:
    device = ProfiledCpu(name=HERE.cpu, cpus=HERE.cpus)
    keep(Profile(device=device, measurements=(measurement(quality=MINI.name),)))
    assert "as measured by train --tune on 2026-11-21" in lines(run, max_steps=1)


def test_every_quality_has_a_measured_speed() -> None:
    for name in qualities():
        if name != MINI.name:
            row = cpu_speed(name)
            assert row and row.clip_seconds > 0 and row.second_seconds > 0


def test_a_finished_run_names_the_steps_done_and_those_requested(run: Fit) -> None:
    from voxmatrix.train.monitor.progress import describe

    run(max_steps=3)
    notes = Notes()
    run(max_steps=2, progress=notes)
    text = "\n".join(describe(notes.starts[0]))
    assert "3 steps done, 2 requested: nothing is left to do" in text
    assert "duration" not in text
