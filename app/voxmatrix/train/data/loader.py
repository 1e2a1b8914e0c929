"""Batches in the order of the schedule, without end, from worker processes where those help."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

import torch
from torch.utils.data import DataLoader

from voxmatrix.dataset.prepared import Clip
from voxmatrix.plan.parallelism import PREFETCH
from voxmatrix.train.data.batches import Batch, ClipDataset, Collate, Schedule, StepPlan
from voxmatrix.train.stop import quiet_worker

#: What a full /dev/shm sounds like. Torch 2.6 does not reserve it, and the first write beyond it kills the worker.
_FULL = ("shared memory", "Bus error", "exited unexpectedly")


@dataclass(frozen=True, kw_only=True)
class _Order:
    """What a DataLoader wants: the clips of every batch, across epochs, so that workers never rest between them."""

    schedule: Schedule
    epoch: int
    index: int

    def __iter__(self) -> Iterator[list[int]]:
        return self.schedule.indices_from(self.epoch, self.index)


@dataclass(frozen=True)
class _Shared:
    """For a worker: the batch is put into shared memory here, where an error reaches the loop that waits for it.

    torch's queue would do it in a thread of the worker, which prints the error and loses the batch: where /dev/shm is
    full, the training would wait for it without end.
    """

    collate: Collate

    def __call__(self, items: Sequence[tuple[Clip, torch.Tensor]]) -> Batch:
        return self.collate(items).share_memory()


@dataclass(frozen=True, kw_only=True)
class BatchLoader:
    """Where batches come from."""

    dataset: ClipDataset
    collate: Collate
    schedule: Schedule
    workers: int
    device: torch.device
    share: Callable[[Batch], Batch]  # the rows of this process
    warn: Callable[[str], None]

    def steps_from(self, epoch: int, index: int) -> Iterator[tuple[StepPlan, list[Batch]]]:
        """Step `index` of `epoch` and all that follow, each with its batches on the device.

        A worker that dies or fails (killed for memory, /dev/shm full) is not the end: then this process reads batches.
        """
        workers = self.workers
        batches = self._batches(epoch, index, workers)
        for plan in self.schedule.steps_from(epoch, index):
            try:
                taken = list(islice(batches, len(plan.batches)))
            except RuntimeError as error:
                if not workers:
                    raise
                self.warn(f"a loading worker failed ({_reason(error)}); batches are now read without workers")
                workers = 0
                batches = self._batches(plan.epoch, plan.index, workers)
                taken = list(islice(batches, len(plan.batches)))
            yield plan, [self.share(batch).to(self.device) for batch in taken]

    def _batches(self, epoch: int, index: int, workers: int) -> Iterator[Batch]:
        """A loader's batches.

        torch's handler of SIGCHLD would raise a worker's death as an error wherever this process happens to be; without
        that handler it is noticed, some seconds later, where the next batch is waited for.
        """
        loader: DataLoader[Batch] = DataLoader(
            self.dataset,  # type: ignore[arg-type]  # the collation makes batches of its items
            batch_sampler=_Order(schedule=self.schedule, epoch=epoch, index=index),
            num_workers=workers,
            collate_fn=_Shared(self.collate) if workers else self.collate,
            pin_memory=self.device.type == "cuda",
            worker_init_fn=quiet_worker if workers else None,
            prefetch_factor=PREFETCH if workers else None,
        )
        with _unchanged_child_handler():
            return iter(loader)


def _reason(error: RuntimeError) -> str:
    """Its sentence: the first line, or where torch hands a worker's error on with its traceback, the last."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    said = lines[-1] if lines[0].startswith("Caught ") else lines[0]
    full = any(words in said for words in _FULL)
    return said.strip() + ("; when /dev/shm is full, in a container give more with --shm-size" if full else "")


@contextmanager
def _unchanged_child_handler() -> Iterator[None]:
    here = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGCHLD")
    before = signal.getsignal(signal.SIGCHLD) if here else None
    yield
    if here:
        signal.signal(signal.SIGCHLD, before)
