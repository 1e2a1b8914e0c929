"""`--tune` on the CPU with real children: what fits is kept, the plan follows it, and nothing ends a training."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.dataset.prepared import PreparedSet
from app.errors import BadInputError, InterruptedRunError
from app.machine.profile import Measurement
from app.machine.profiles import place, profile_of
from app.train import fit as fit_module
from app.train.planning import plan_training
from app.train.tune import tune
from app.train.tuned import Tuned
from tests.train import synthetic
from tests.train.asking import HERE, settings
from tests.train.conftest import Fit
from tests.train.runs import Notes, content

BREAK = "VOXMATRIX_TUNE_BREAK"
KEY = "cpu-2cpus"


@pytest.fixture
def tiny(tmp_path: Path) -> PreparedSet:
    """Of a quality that a child knows too."""
    return synthetic.prepared_set(tmp_path / "tiny", quality="tiny")


def tuned(prepared: PreparedSet, out: Path, machine: object = HERE, **asked: object) -> tuple[Tuned, list[str]]:
    said: list[str] = []
    result = tune(prepared, settings(out, threads=1, **asked), machine, said.append)  # type: ignore[arg-type]
    return result, said


def kept() -> tuple[Measurement, ...]:
    one = profile_of(None, HERE).one
    return one.measurements if one else ()


def test_what_fits_is_kept_and_the_plan_follows_it(
    tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BREAK, "3=memory")
    result, said = tuned(tiny, tmp_path)
    (measured,) = kept()
    assert (measured.quality, measured.precision, measured.largest_batch) == ("tiny", "fp32", 2)
    assert measured.seconds == pytest.approx(max(clip.samples for clip in tiny.clips) / tiny.rate_hz, abs=1e-3)
    assert [size.batch_size for size in measured.sizes] == [1, 2]
    assert result.kept == place(KEY)
    assert result.problem == ""
    assert said[0].startswith("measuring batches of clips of 1.")
    assert said[1].startswith("batch 1: ")
    assert said[3] == "batch 4 does not fit: memory is out"

    plan = plan_training(tiny, settings(tmp_path), HERE, None)
    assert f"measured by train --tune on {measured.date}" in plan.batch_size.reason
    assert plan.effective_batch.value == 32


def test_with_little_memory_no_size_takes_more_than_may_be_taken(tiny: PreparedSet, tmp_path: Path) -> None:
    little = replace(HERE, available_mib=1100)
    result, _ = tuned(tiny, tmp_path, little)
    assert result.budget.mib == 550
    (measured,) = kept()
    assert 1 <= measured.largest_batch < 64
    assert all(size.peak_mib <= 550 for size in measured.sizes)


def test_where_one_clip_does_not_fit_it_is_measured_with_gradient_checkpointing(
    tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BREAK, "1=memory")
    result, said = tuned(tiny, tmp_path)
    assert any("with gradient checkpointing on cpu" in line for line in said)
    assert kept() == ()
    assert "not even one clip" in result.paragraph()


def test_what_is_forced_is_what_is_measured(tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BREAK, "2=memory")
    tuned(tiny, tmp_path, precision="bf16", checkpointing="on")
    tuned(tiny, tmp_path, precision="fp32", checkpointing="off")
    assert {(each.precision, each.gradient_checkpointing) for each in kept()} == {("bf16", True), ("fp32", False)}


def test_where_nobody_says_how_much_memory_there_is_nothing_is_measured(tiny: PreparedSet, tmp_path: Path) -> None:
    result, said = tuned(tiny, tmp_path, replace(HERE, available_mib=None, memory_mib=None))
    assert (said, result.outcomes) == ([], ())
    assert "could not be read" in result.problem


def test_without_recordings_there_is_nothing_to_measure_with(tiny: PreparedSet, tmp_path: Path) -> None:
    with pytest.raises(BadInputError):
        tuned(replace(tiny, clips=()), tmp_path)


def test_what_cannot_be_kept_is_said_and_no_error(
    tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BREAK, "2=memory")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "file"))
    result, _ = tuned(tiny, tmp_path)
    assert result.kept is None
    assert "it is not kept: cannot write" in result.problem
    assert result.best is not None


def test_a_training_measures_then_trains_with_what_it_found(
    run: Fit, tiny: PreparedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BREAK, "3=memory")
    notes = Notes()
    result = run(prepared=tiny, tune=True, max_steps=1, batch_size="auto", accumulation="auto", watch=notes)
    assert result.tuned is not None
    assert result.steps == 1
    assert any(line.startswith("batch 2: ") for line in notes.tunings)
    assert "holds 2 clips" in notes.tunings[-1]
    assert any("measured by train --tune" in line for line in notes.starts[0].decisions)


def test_a_run_that_goes_on_keeps_its_recipe_and_the_measurement_is_kept(
    run: Fit, tiny: PreparedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = run(prepared=tiny, max_steps=1)
    monkeypatch.setenv(BREAK, "2=memory")
    notes = Notes()
    went_on = run(prepared=tiny, tune=True, max_steps=2, batch_size="auto", accumulation="auto", watch=notes)
    recipe = content(went_on.last)["voxmatrix"]["recipe"]
    assert (recipe["batch_size"], recipe["accumulation"]) == (4, 1)
    assert content(begun.last)["voxmatrix"]["recipe"] == recipe
    assert any("as the run in" in line for line in notes.starts[0].decisions)
    assert kept()


@pytest.mark.parametrize("how", ["die", "raise"])
def test_a_child_that_dies_at_once_costs_a_warning_and_the_training_goes_by_estimates(
    run: Fit, tiny: PreparedSet, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BREAK, f"1={how}")
    notes = Notes()
    assert run(prepared=tiny, tune=True, max_steps=1, watch=notes).steps == 1
    assert any("not all could be measured: batch 1: " in warning for warning in notes.warnings)
    assert "could not be measured" in notes.tunings[-1]
    assert kept() == ()


def test_a_damaged_profile_is_a_warning_of_a_training_and_is_mended_by_measuring(
    run: Fit, tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(KEY).parent.mkdir()
    place(KEY).write_text('{"format": 1')
    notes = Notes()
    assert run(prepared=tiny, max_steps=1, watch=notes).steps == 1
    assert any("a profile is not used" in warning for warning in notes.warnings)
    monkeypatch.setenv(BREAK, "2=memory")
    notes = Notes()
    run(prepared=tiny, tune=True, max_steps=1, out=tmp_path / "other", watch=notes)
    assert kept()
    assert not any("a profile" in warning for warning in notes.warnings)


def test_an_interrupted_measurement_ends_as_an_interrupted_training(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> Tuned:
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_module, "tune", interrupted)
    with pytest.raises(InterruptedRunError) as caught:
        run(tune=True)
    assert caught.value.exit_code == 130
    assert "nothing was trained" in caught.value.problem
