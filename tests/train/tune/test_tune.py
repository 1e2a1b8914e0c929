"""`--tune` on the CPU with real children: what fits is kept, the plan follows it, and nothing ends a training."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.train import synthetic
from tests.train.asking import HERE, preflight, settings
from tests.train.conftest import Fit
from tests.train.runs import Notes, content
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError, InterruptedRunError
from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.machine.profile import Measurement
from voxmatrix.machine.profile_store import place, profile_of
from voxmatrix.train import fit as fit_module
from voxmatrix.train.planning import plan_training
from voxmatrix.train.tune.batch_search import BatchSearch, TriedBatch
from voxmatrix.train.tune.result import TuneResult
from voxmatrix.train.tune.search_process import OnTooLarge, OnTried, SearchProcess
from voxmatrix.train.tune.tune import tune

KEY = "cpu-2cpus"


@pytest.fixture
def tiny(tmp_path: Path) -> PreparedSet:
    """Of a quality that a child knows too."""
    return synthetic.prepared_set(tmp_path / "tiny", quality="tiny")


def tuned(prepared: PreparedSet, out: Path, machine: Machine = HERE, **asked: Any) -> tuple[TuneResult, list[str]]:
    said: list[str] = []
    result = tune(prepared, settings(out, threads=1, **asked), preflight(machine, **asked), said.append)
    return result, said


def kept() -> tuple[Measurement, ...]:
    one = profile_of(None, HERE).one
    return one.measurements if one else ()


def test_what_fits_is_kept_and_the_plan_follows_it(
    tiny: PreparedSet, tmp_path: Path, break_children: Callable[[str], None]
) -> None:
    break_children("3=memory")
    result, said = tuned(tiny, tmp_path)
    (measured,) = kept()
    assert (measured.quality, measured.precision, measured.largest_batch) == ("tiny", "fp32", 2)
    assert measured.seconds == pytest.approx(max(clip.samples for clip in tiny.clips) / tiny.rate_hz, abs=1e-3)
    assert [size.batch_size for size in measured.sizes] == [1, 2]
    assert result.kept == place(KEY)
    assert result.problem == ""
    assert said[0].startswith("measuring batches of clips of 1.")
    assert said[1].startswith("batch 1: ")
    assert said[3] == "batch 4 does not fit: out of memory"

    plan = plan_training(tiny, settings(tmp_path), preflight(), None)
    assert f"measured by train --tune on {measured.date}" in plan.batch_size.reason
    assert plan.effective_batch.value == 32


def test_with_little_memory_no_size_takes_more_than_may_be_taken(tiny: PreparedSet, tmp_path: Path) -> None:
    mib = 550 if torch.version.cuda is None else 860  # the libraries of CUDA take 310
    result, _ = tuned(tiny, tmp_path, replace(HERE, available_mib=2 * mib))
    assert result.budget.mib == mib
    (measured,) = kept()
    assert 1 <= measured.largest_batch < 64
    assert all(size.peak_mib <= mib for size in measured.sizes if size.batch_size <= measured.largest_batch)
    # What is tried is foretold from smaller sizes, which may be a little off; far beyond the limit nothing is tried.
    assert all(size.peak_mib <= mib * 1.1 for size in measured.sizes)


def test_where_one_clip_does_not_fit_it_is_measured_with_gradient_checkpointing(
    tiny: PreparedSet, tmp_path: Path, break_children: Callable[[str], None]
) -> None:
    break_children("1=memory")
    result, said = tuned(tiny, tmp_path)
    assert any("with gradient checkpointing on cpu" in line for line in said)
    assert kept() == ()
    assert "even one clip" in result.paragraph()


def test_what_is_forced_is_what_is_measured(
    tiny: PreparedSet, tmp_path: Path, break_children: Callable[[str], None]
) -> None:
    break_children("2=memory")
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
    tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, break_children: Callable[[str], None]
) -> None:
    break_children("2=memory")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "file"))
    result, _ = tuned(tiny, tmp_path)
    assert result.kept is None
    assert "the result was not saved: cannot write" in result.problem
    assert result.best is not None


def test_a_training_measures_then_trains_with_what_it_found(
    run: Fit, tiny: PreparedSet, break_children: Callable[[str], None]
) -> None:
    break_children("3=memory")
    notes = Notes()
    result = run(prepared=tiny, tune=True, max_steps=1, batch_size="auto", accumulation="auto", progress=notes)
    assert result.tuned is not None
    assert result.steps == 1
    assert any(line.startswith("batch 2: ") for line in notes.tunings)
    assert "fits 2 clips" in notes.tunings[-1]
    assert any("measured by train --tune" in line for line in notes.starts[0].decisions)


def test_a_run_that_goes_on_keeps_its_recipe_and_the_measurement_is_kept(
    run: Fit, tiny: PreparedSet, break_children: Callable[[str], None]
) -> None:
    begun = run(prepared=tiny, max_steps=1)
    break_children("2=memory")
    notes = Notes()
    went_on = run(prepared=tiny, tune=True, max_steps=2, batch_size="auto", accumulation="auto", progress=notes)
    recipe = content(went_on.last)["voxmatrix"]["recipe"]
    assert (recipe["batch_size"], recipe["accumulation"]) == (4, 1)
    assert content(begun.last)["voxmatrix"]["recipe"] == recipe
    assert any("as in the resumed run in" in line for line in notes.starts[0].decisions)
    assert kept()


@pytest.mark.parametrize("how", ["die", "raise"])
def test_a_child_that_dies_at_once_costs_a_warning_and_the_training_goes_by_estimates(
    run: Fit, tiny: PreparedSet, how: str, break_children: Callable[[str], None]
) -> None:
    break_children(f"1={how}")
    notes = Notes()
    assert run(prepared=tiny, tune=True, max_steps=1, progress=notes).steps == 1
    assert any("not everything could be measured: batch 1: " in warning for warning in notes.warnings)
    assert "could not be measured" in notes.tunings[-1]
    assert kept() == ()


def test_a_damaged_profile_is_a_warning_of_a_training_and_is_mended_by_measuring(
    run: Fit, tiny: PreparedSet, tmp_path: Path, break_children: Callable[[str], None]
) -> None:
    place(KEY).parent.mkdir()
    place(KEY).write_text('{"format": 1')
    notes = Notes()
    assert run(prepared=tiny, max_steps=1, progress=notes).steps == 1
    assert any("a profile is ignored" in warning for warning in notes.warnings)
    break_children("2=memory")
    notes = Notes()
    run(prepared=tiny, tune=True, max_steps=1, out=tmp_path / "other", progress=notes)
    assert kept()
    assert not any("a profile" in warning for warning in notes.warnings)


def test_an_interrupted_measurement_ends_as_an_interrupted_training(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> TuneResult:
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_module, "tune", interrupted)
    with pytest.raises(InterruptedRunError) as caught:
        run(tune=True)
    assert caught.value.exit_code == 130
    assert "nothing was trained" in caught.value.problem


def on_a_gpu(monkeypatch: pytest.MonkeyPatch, base_mib: float, clip_mib: float, checkpointed_mib: float) -> Machine:
    """An H100 that takes this much for each clip, as a child would find it out; torch has kernels for it."""
    gpu = Gpu(
        index=0, kind="cuda", uuid="GPU-1", name="NVIDIA H100 80GB HBM3", capability=Capability(9, 0),
        memory_mib=81559, free_mib=80000, driver="580.82",
    )  # fmt: skip

    def pretend(
        series: SearchProcess, environment: dict[str, str], on_tried: OnTried, on_too_large: OnTooLarge
    ) -> None:
        assert environment["CUDA_VISIBLE_DEVICES"] == "GPU-1"
        assert (series.job.device, series.job.free_mib, series.bounds.never_exceed) == ("cuda:0", 80000, False)
        each = checkpointed_mib if series.job.checkpointed else clip_mib

        def measure(size: int) -> TriedBatch | None:
            if base_mib + size * each > 79000:
                on_too_large(size, "out of memory")
                return None
            tried = TriedBatch(batch_size=size, peak_mib=base_mib + size * each, step_seconds=0.01 * size, seconds=0.1)
            on_tried(tried)
            return tried

        search = BatchSearch(measure=measure, bounds=series.bounds)
        series.ended = search.run()
        series.tried = search.tried

    monkeypatch.setattr(SearchProcess, "run", pretend)
    torch = TorchBuild(version="2.13.0+cu130", cuda="13.0", kernels=("sm_90",))
    return replace(HERE, gpus=(gpu,), torch=torch)


def test_a_gpu_is_filled_to_nine_tenths(tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    h100 = on_a_gpu(monkeypatch, base_mib=2000, clip_mib=190, checkpointed_mib=80)
    many = replace(tiny, clips=tiny.clips * 100)
    result, _ = tuned(many, tmp_path, h100, device="cuda:0", precision="bf16")
    assert result.budget.mib == 72000
    assert result.best is not None
    largest = result.best.measurement.largest_batch
    peak = next(size.peak_mib for size in result.best.measurement.sizes if size.batch_size == largest)
    assert 0.8 * 80000 <= peak <= 0.9 * 80000
    assert result.line == ""  # all are equally fast here
    assert result.kept == place("nvidia-h100-80gb-hbm3-80gib")

    plan = plan_training(
        many, settings(tmp_path, device="cuda:0", precision="bf16"), preflight(h100, device="cuda:0"), None
    )
    assert (plan.batch_size.value, plan.accumulation.value) == (32, 1)
    assert "90% of 80000 MiB free" in plan.batch_size.reason


def test_a_gpu_that_holds_few_clips_is_measured_with_gradient_checkpointing_too(
    tiny: PreparedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    h100 = on_a_gpu(monkeypatch, base_mib=2000, clip_mib=30000, checkpointed_mib=8000)
    result, _ = tuned(tiny, tmp_path, h100, device="cuda:0", precision="bf16")
    assert [each.measurement.largest_batch for each in result.outcomes] == [2, 8]
    plan = plan_training(
        tiny, settings(tmp_path, device="cuda:0", precision="bf16"), preflight(h100, device="cuda:0"), None
    )
    assert plan.gradient_checkpointing.value
    assert plan.batch_size.value == 4
