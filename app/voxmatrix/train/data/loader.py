"""Load batches in the order of the schedule, endlessly, in worker processes if there are any."""

import signal
import threading
import warnings
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

#: Errors caused by a full /dev/shm. Torch 2.6 does not reserve space there; a write beyond the end kills the worker.
_SHARED_MEMORY_FULL = ("shared memory", "Bus error", "exited unexpectedly")


@dataclass(frozen=True, kw_only=True)
class _BatchSampler:
    """The clips of each batch for a DataLoader, across epochs, so that workers need not pause between them."""

    schedule: Schedule
    epoch: int
    index: int

    def __iter__(self) -> Iterator[list[int]]:
        return self.schedule.indices_from(self.epoch, self.index)


@dataclass(frozen=True)
class _CollateShared:
    """Collate in a worker and move the batch to shared memory, so that an error is passed on to the training loop.

    Otherwise torch's queue does it in a thread of the worker, which prints the error and drops the batch; with a full
    /dev/shm, the training would wait for it for ever.
    """

    collate: Collate

    def __call__(self, items: Sequence[tuple[Clip, torch.Tensor]]) -> Batch:
        return self.collate(items).share_memory()


@dataclass(frozen=True, kw_only=True)
class BatchLoader:
    """The batches of a training."""

    dataset: ClipDataset
    collate: Collate
    schedule: Schedule
    workers: int
    device: torch.device
    share: Callable[[Batch], Batch]  # the rows of this process
    warn: Callable[[str], None]

    def steps_from(self, epoch: int, index: int) -> Iterator[tuple[StepPlan, list[Batch]]]:
        """The steps from step `index` of `epoch` on, each with its batches on the device.

        If a worker dies or fails (killed for lack of memory, /dev/shm full), this process loads the batches instead.
        """
        workers = self.workers
        batches = self._batches(epoch, index, workers)
        for plan in self.schedule.steps_from(epoch, index):
            try:
                step_batches = list(islice(batches, len(plan.batches)))
            except RuntimeError as error:
                if not workers:
                    raise
                self.warn(f"a loading worker failed ({_reason(error)}); batches are now loaded without workers")
                workers = 0
                batches = self._batches(plan.epoch, plan.index, workers)
                step_batches = list(islice(batches, len(plan.batches)))
            yield plan, [self.share(batch).to(self.device) for batch in step_batches]

    def _batches(self, epoch: int, index: int, workers: int) -> Iterator[Batch]:
        """The batches of a DataLoader, without torch's SIGCHLD handler.

        That handler raises an error at an arbitrary place in this process when a worker dies. Without it, the death is
        detected some seconds later, when the next batch is fetched.
        """
        with warnings.catch_warnings():
            # Torch warns about more workers than CPUs; the plan never chooses that many, and `workers` is the user's.
            warnings.filterwarnings("ignore", "This DataLoader will create", UserWarning)
            loader: DataLoader[Batch] = DataLoader(
                self.dataset,  # type: ignore[arg-type]  # the collation makes batches of its items
                batch_sampler=_BatchSampler(schedule=self.schedule, epoch=epoch, index=index),
                num_workers=workers,
                collate_fn=_CollateShared(self.collate) if workers else self.collate,
                pin_memory=self.device.type == "cuda",
                worker_init_fn=quiet_worker if workers else None,
                prefetch_factor=PREFETCH if workers else None,
            )
            with _child_handler_restored():
                return iter(loader)


def _reason(error: RuntimeError) -> str:
    """The first line of the message; or the last, if torch passes on an error of a worker with its traceback."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    line = lines[-1] if lines[0].startswith("Caught ") else lines[0]
    full = any(words in line for words in _SHARED_MEMORY_FULL)
    return line.strip() + ("; if /dev/shm is full, raise --shm-size of the container" if full else "")


@contextmanager
def _child_handler_restored() -> Iterator[None]:
    restorable = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGCHLD")
    handler = signal.getsignal(signal.SIGCHLD) if restorable else None
    yield
    if restorable:
        signal.signal(signal.SIGCHLD, handler)
