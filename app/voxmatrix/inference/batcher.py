"""Compute what many threads ask for together: whatever has queued while the last batch ran is the next one.

So nobody waits for others to come: a request that is alone is computed at once.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from voxmatrix.closing import Closeable

T = TypeVar("T")
R = TypeVar("R")


class Request(Generic[T, R]):
    """Something that is to be computed. Calling it waits for its result."""

    def __init__(self, item: T) -> None:
        self.item = item
        self.result: Future[R] = Future()

    def __call__(self) -> R:
        """The result, or the error of computing it."""
        return self.result.result()

    def cancel(self) -> None:
        """Do not compute it, unless that has begun. Who waits for it gets a CancelledError."""
        self.result.cancel()


class Batcher(Closeable, Generic[T, R]):
    """Computes requests in one thread, those that came first in the next batch. Thread-safe.

    A batch that fails is computed again in halves, so that a request fails only for reasons of its own.
    """

    def __init__(
        self,
        compute: Callable[[Sequence[Request[T, R]]], None],
        limit: int,
        size: Callable[[T], int] = lambda item: 1,
    ) -> None:
        """`compute` sets the result of each request. A batch has a size of up to `limit`, or one request."""
        self._compute = compute
        self._limit = limit
        self._size = size
        self._waiting: deque[Request[T, R]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="batches", daemon=True)
        self._thread.start()

    def submit(self, item: T) -> Request[T, R]:
        """Ask for a result."""
        request: Request[T, R] = Request(item)
        with self._changed:
            if self._closed:
                request.result.cancel()
            else:
                self._waiting.append(request)
                self._changed.notify()
        return request

    def close(self) -> None:
        """Wait for the batch that is being computed, and cancel all others."""
        with self._changed:
            self._closed = True
            for request in self._waiting:
                request.result.cancel()
            self._waiting.clear()
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._next():
            self._compute_halving(batch)

    def _next(self) -> list[Request[T, R]]:
        """The next batch; empty at the end."""
        batch: list[Request[T, R]] = []
        total = 0
        with self._changed:
            while not batch and not self._closed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                while self._waiting and (not batch or total + self._size(self._waiting[0].item) <= self._limit):
                    request = self._waiting.popleft()
                    if request.result.set_running_or_notify_cancel():
                        batch.append(request)
                        total += self._size(request.item)
        return batch

    def _compute_halving(self, batch: list[Request[T, R]]) -> None:
        try:
            self._compute(batch)
        except BaseException as error:
            left = [request for request in batch if not request.result.done()]
            if len(batch) == 1:
                for request in left:
                    request.result.set_exception(error)
                return
        else:
            return
        half = len(left) // 2
        for part in (left[:half], left[half:]):
            if part:
                self._compute_halving(part)
