"""Memory runs out: the step is taken again in parts, and what is learned stays the same."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from tests.train.conftest import Fit
from tests.train.runs import Notes, assert_bit_equal, content, rows
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.tables.quality import SEGMENT_FRAMES
from voxmatrix.train.data.batches import Batch, ClipDataset, Collate
from voxmatrix.train.step.oom_recovery import MIN_SEGMENT, MemorySavings, OomRecovery

FULL = "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 7.79 GiB"


@contextmanager
def memory_for(fits: Callable[[Batch, MemorySavings], bool], error: Exception | None = None) -> Iterator[None]:
    """Memory in which a part of a batch fits or ends in this error."""
    parts = OomRecovery.parts

    def refusing(self: OomRecovery, batch: Batch) -> Iterator[Batch]:
        for part in parts(self, batch):
            if not fits(part, self.savings):
                raise error or torch.OutOfMemoryError(FULL)
            yield part

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(OomRecovery, "parts", refusing)
        yield


@pytest.fixture
def batch(prepared: PreparedSet) -> Batch:
    dataset = ClipDataset(prepared.clips)
    return Collate(())([dataset[number] for number in range(7)])


def test_a_batch_four_times_too_large_ends_with_the_losses_of_a_run_that_fitted(run: Fit, tmp_path: Path) -> None:
    plenty = run(out=tmp_path / "plenty", batch_size=8, max_steps=4, log_every=1)
    notes = Notes()
    with memory_for(lambda part, savings: part.size.clips <= 2):
        tight = run(out=tmp_path / "tight", batch_size=8, max_steps=4, log_every=1, progress=notes)
    assert content(tight.last)["voxmatrix"]["recipe"] == content(plenty.last)["voxmatrix"]["recipe"]
    for ours, theirs in zip(rows(tight.out), rows(plenty.out), strict=True):
        assert float(ours["mel"] or 0) == pytest.approx(float(theirs["mel"] or 0), abs=1e-4), ours["step"]
        assert float(ours["kl"] or 0) == pytest.approx(float(theirs["kl"] or 0), abs=1e-4), ours["step"]
    assert math.isclose(tight.validation_mel, plenty.validation_mel, abs_tol=1e-4)
    assert all("the result of the training is the same" in warning for warning in notes.warnings)
    assert len(notes.warnings) == 2  # 8 → 4 → 2


def test_what_fits_only_with_checkpointing_is_learned_all_the_same(run: Fit, tmp_path: Path) -> None:
    plenty = run(out=tmp_path / "plenty", log_every=1)
    with memory_for(lambda part, savings: savings.checkpointed):
        tight = run(out=tmp_path / "tight", log_every=1)
    planned = run(out=tmp_path / "planned", log_every=1, checkpointing="on")
    assert rows(planned.out)[0]["mel"] == rows(plenty.out)[0]["mel"]
    for ours, theirs in zip(rows(tight.out), rows(plenty.out), strict=True):
        assert float(ours["mel"] or 0) == pytest.approx(float(theirs["mel"] or 0), abs=1e-4)


def test_where_nothing_fits_it_ends_with_the_numbers_and_what_to_lower(run: Fit) -> None:
    notes = Notes()
    nothing_fits = memory_for(lambda part, savings: False)
    with nothing_fits, pytest.raises(MemoryExhaustedError, match="2560 MiB were requested") as caught:
        run(progress=notes)
    assert caught.value.exit_code == 6
    assert "1 clip of" in caught.value.problem
    assert "`quality`" in caught.value.remedy
    assert "`device=cpu`" not in caught.value.remedy  # it is the CPU that is short of memory
    said = " ".join(notes.warnings)
    assert said.index("parts of") < said.index("checkpointing") < said.index("segments of 16 frames")


def test_what_ended_for_want_of_memory_goes_on_where_there_is_more(run: Fit, tmp_path: Path) -> None:
    whole = run(out=tmp_path / "whole", max_steps=4)
    seen: list[Batch] = []

    def full_from_the_third_step(part: Batch, savings: MemorySavings) -> bool:
        seen.append(part)
        return len(seen) <= 2

    with memory_for(full_from_the_third_step), pytest.raises(MemoryExhaustedError):
        run(max_steps=4, checkpoint_every=1)
    assert_bit_equal(run(max_steps=4, checkpoint_every=1).last, whole.last)


def test_an_error_that_is_not_about_memory_passes(run: Fit) -> None:
    error = RuntimeError("CUDA error: an illegal memory access was encountered")
    with memory_for(lambda part, savings: False, error), pytest.raises(RuntimeError, match="illegal"):
        run()


def test_parts_are_few_equal_and_together_the_whole(batch: Batch) -> None:
    oom_recovery = OomRecovery(device="cuda:0", savings=MemorySavings(max_padded_samples=3 * batch.wave.size(1)))
    parts = list(oom_recovery.parts(batch))
    assert [part.size.clips for part in parts] == [3, 2, 2]
    assert [part.first for part in parts] == [0, 3, 5]
    assert torch.equal(torch.cat([part.wave for part in parts]), batch.wave)
    assert {part.whole_size for part in parts} == {batch.size}


def test_short_clips_stay_together_when_long_ones_did_not_fit(batch: Batch) -> None:
    oom_recovery = OomRecovery(device="cuda:0")
    oom_recovery.current = batch
    oom_recovery.reduce(torch.OutOfMemoryError(FULL))
    short = batch.part(0, 3)
    assert [part.size.clips for part in oom_recovery.parts(short)] == [3]
    assert max(part.size.clips for part in oom_recovery.parts(batch)) == 4


def test_every_retreat_gives_up_something_until_nothing_is_left(batch: Batch) -> None:
    oom_recovery = OomRecovery(device="cuda:0")
    said = []
    with pytest.raises(MemoryExhaustedError):
        while True:
            next(iter(oom_recovery.parts(batch)))
            said.append(oom_recovery.reduce(MemoryError()))
    assert len(said) == len(set(said)) == 3 + 1 + 2  # 7 → 4 → 2 → 1 clips, checkpointing, 16 and 8 frames
    assert oom_recovery.savings == MemorySavings(
        max_padded_samples=batch.wave.size(1), checkpointed=True, segment_frames=MIN_SEGMENT
    )
    assert MIN_SEGMENT < SEGMENT_FRAMES
