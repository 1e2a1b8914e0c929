"""Batches reach the loop in the schedule's order, whoever reads them."""

import multiprocessing
import os
import signal
import warnings
from itertools import islice

import pytest
import torch

from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import DamagedFileError
from voxmatrix.train.data import loader
from voxmatrix.train.data.batches import Batch, ClipDataset, Collate, Schedule
from voxmatrix.train.data.loader import BatchLoader


def make_feed(prepared: PreparedSet, workers: int, said: list[str] | None = None) -> BatchLoader:
    return BatchLoader(
        share=lambda batch: batch,
        dataset=ClipDataset(prepared.clips),
        collate=Collate(prepared.speakers),
        schedule=Schedule(
            samples=tuple(clip.samples for clip in prepared.clips),
            batch_size=3,
            accumulation=2,
            max_batch_samples=0,
            seed=1,
        ),
        workers=workers,
        device=torch.device("cpu"),
        warn=[].append if said is None else said.append,
    )


def texts(batches: list[Batch]) -> list[list[int]]:
    return [row for batch in batches for row in batch.text.tolist()]


def first_steps(source: loader.BatchLoader, count: int) -> list[list[list[int]]]:
    """The texts of the first steps of the first epoch."""
    return [texts(batches) for _, batches in islice(source.steps_from(0, 0), count)]


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_are_those_of_the_plan_across_epochs(prepared: PreparedSet, workers: int) -> None:
    for plan, batches in islice(make_feed(prepared, workers).steps_from(0, 1), 5):
        assert len(batches) == len(plan.batches)
        for clips, batch in zip(plan.batches, batches, strict=True):
            assert batch.text_lengths.tolist() == [len(prepared.clips[clip].ids) for clip in clips]


def test_more_workers_than_cpus_are_no_warning_of_torch(prepared: PreparedSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    said: list[str] = []
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        assert first_steps(make_feed(prepared, workers=2, said=said), 1)
    assert not said and not [str(one.message) for one in leaked if "DataLoader" in str(one.message)]


class DyingLoader:
    """Gives one batch, then its worker is killed."""

    def __init__(self, good: list[Batch]) -> None:
        self.good = iter(good)

    def __iter__(self) -> "DyingLoader":
        return self

    def __next__(self) -> Batch:
        for batch in self.good:
            return batch
        raise RuntimeError("DataLoader worker (pid 7) is killed by signal: Bus error. \nmore words")


def test_a_worker_that_dies_costs_nothing_but_its_help(prepared: PreparedSet, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = first_steps(make_feed(prepared, 0), 4)
    real = loader.DataLoader
    first_batches = next(make_feed(prepared, 0).steps_from(0, 0))[1]
    monkeypatch.setattr(
        loader,
        "DataLoader",
        lambda *given, **more: DyingLoader(first_batches) if more["num_workers"] else real(*given, **more),
    )
    said: list[str] = []

    seen = first_steps(make_feed(prepared, 2, said), 4)

    assert seen == expected
    assert len(said) == 1
    assert "Bus error" in said[0]
    assert "--shm-size" in said[0]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_worker_that_is_really_killed_is_noticed_where_a_batch_is_waited_for(prepared: PreparedSet) -> None:
    expected = first_steps(make_feed(prepared, 0), 9)
    said: list[str] = []
    seen = []
    for _, batches in islice(make_feed(prepared, 1, said).steps_from(0, 0), 9):
        seen.append(texts(batches))
        for child in multiprocessing.active_children():
            os.kill(child.pid or 0, signal.SIGKILL)
            child.join()
    assert seen == expected
    assert len(said) == 1


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="workers here would not see what is changed")
def test_shared_memory_that_is_full_in_a_worker_is_heard_and_not_waited_for(
    prepared: PreparedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """torch's own queue loses such a batch, and the loop would wait for it without end."""
    expected = first_steps(make_feed(prepared, 0), 4)

    def full(tensor: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("unable to allocate shared memory(shm) for file </torch_1>: Success (0)")

    monkeypatch.setattr(torch.Tensor, "share_memory_", full)
    said: list[str] = []
    seen = first_steps(make_feed(prepared, 1, said), 4)
    assert seen == expected
    assert len(said) == 1
    assert "unable to allocate shared memory" in said[0]
    assert "--shm-size" in said[0]


def test_without_workers_an_error_is_an_error(prepared: PreparedSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "DataLoader", lambda *_, **__: DyingLoader([]))
    with pytest.raises(RuntimeError, match="Bus error"):
        next(make_feed(prepared, 0).steps_from(0, 0))


@pytest.mark.parametrize("workers", [0, 1])
def test_a_lost_recording_is_named_also_by_a_worker(prepared: PreparedSet, workers: int) -> None:
    for clip in prepared.clips:
        clip.path.unlink()
    with pytest.raises(DamagedFileError, match="cannot be read"):
        next(make_feed(prepared, workers).steps_from(0, 0))
