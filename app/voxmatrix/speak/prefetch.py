"""Compute sentences while earlier ones are played, and return them in order."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

import numpy as np

from voxmatrix.audio.samples import Samples
from voxmatrix.piper.engines.base import PendingSamples

T = TypeVar("T")
#: Turns the segments of an item, as they are computed, into the pieces that are wanted of it.
Cut = Callable[[Iterator[Samples]], Iterable[Samples]]


def whole(segments: Iterator[Samples]) -> Iterable[Samples]:
    """One piece."""
    return [np.concatenate(list(segments))]


def prefetch(
    items: Iterable[T],
    begin: Callable[[T], list[PendingSamples]],
    workers: int,
    *,
    begin_in_order: bool = False,
    cut_first: Cut = whole,
) -> Iterator[tuple[T, Samples]]:
    """Yield each item with its samples, the first with each of its pieces. A thread reads at most `workers + 1` ahead.

    With `begin_in_order`, computations also begin in order, which makes seeds reproducible. An interruption does not
    wait for running computations: what is spoken must be saved before the container is killed.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="speak")
    pipeline = _Pipeline(begin, pool, workers + 1, begin_in_order, cut_first)
    wait = True
    try:
        pipeline.start(items)
        yield from pipeline
    except KeyboardInterrupt:
        wait = False
        raise
    finally:
        pipeline.stop()
        pool.shutdown(wait=wait)


class _Pipeline(Generic[T]):
    """A queue of computations, filled by a thread as the items arrive."""

    def __init__(
        self,
        begin: Callable[[T], list[PendingSamples]],
        pool: ThreadPoolExecutor,
        ahead: int,
        begin_in_order: bool,
        cut_first: Cut,
    ) -> None:
        self._begin = begin
        self._cut = cut_first
        self._pool = pool
        self._in_order = begin_in_order
        self._stopped = False
        self._waiting: queue.Queue[tuple[T, Future[list[Future[Samples]]]] | BaseException | None] = queue.Queue(ahead)

    def start(self, items: Iterable[T]) -> None:
        """Begin to read items."""
        # A daemon: it may block forever while reading standard input.
        threading.Thread(target=self._feed, args=[items], daemon=True, name="text").start()

    def __iter__(self) -> Iterator[tuple[T, Samples]]:
        while (waiting := self._waiting.get()) is not None:
            if isinstance(waiting, BaseException):
                raise waiting
            item, begun = waiting
            for samples in self._cut(part.result() for part in begun.result()):
                yield item, samples
            self._cut = whole

    def stop(self) -> None:
        """Stop the thread and cancel all pending computations."""
        self._stopped = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        while not self._waiting.empty():
            self._waiting.get()

    def _feed(self, items: Iterable[T]) -> None:
        try:
            for number, item in enumerate(items):
                if self._stopped:
                    return
                begun = self._pool.submit(self._begin_one, item)
                # Somebody waits for the first: all its computations are queued before those of the second.
                if self._in_order or number == 0:
                    begun.exception()  # waits; an error is raised when the item is due
                self._waiting.put((item, begun))
            self._waiting.put(None)
        except BaseException as error:
            if not self._stopped:
                self._waiting.put(error)

    def _begin_one(self, item: T) -> list[Future[Samples]]:
        return [self._pool.submit(part) for part in self._begin(item)]
