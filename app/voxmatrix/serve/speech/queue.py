"""Whose turn it is to compute. A few answers at a time keep all CPUs busy; more would only take longer. A GPU computes
many at once."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.metrics import ServerMetrics

#: Answers that are computed at once. One leaves CPUs idle while it reads its text and when it ends; with more, each of
#: them ends later. (8 clients, medium voice, 2 busy cores: 1, 2 and 3 differ less than two runs of the same.)
MAX_CONCURRENT = 2
#: Answers that are computed at once by voices on a GPU, whose sentences are computed in batches: while one is, those of
#: the next one are pronounced and those of the last one encoded. With more, Python's threads wait for each other.
MAX_CONCURRENT_ON_GPU = 32
#: Answers whose clients still read.
_MAX_OPEN = 512
_FIRST_GUESS_SECONDS = 2.0
_WEIGHT = 0.2
_MAX_RETRY_SECONDS = 600


class SpeechQueue:
    """A bounded queue for each voice; slots for all on the CPU, and for all on GPUs. Belongs to one event loop."""

    def __init__(self, most_waiting: int, metrics: ServerMetrics, is_on_gpu: Callable[[str], bool]) -> None:
        """`is_on_gpu` tells of a voice's name whether it is open on a GPU."""
        self._most_waiting = most_waiting
        self._metrics = metrics
        self._is_on_gpu = is_on_gpu
        self._waiting: Counter[str] = Counter()
        self._computing: Counter[bool] = Counter()  # answers, by whether a GPU computes them
        self._changed = asyncio.Condition()
        self._open = 0
        self._mean_seconds = _FIRST_GUESS_SECONDS

    @asynccontextmanager
    async def slot(self, voice: str) -> AsyncIterator[None]:
        """Wait for a free slot.

        Raises:
            ApiError: too many wait for this voice already.
        """
        self._check_queue(voice)  # again: several may have entered since
        self._count(voice, 1)
        try:
            async with self._changed:
                await self._changed.wait_for(lambda: not self._is_full(voice))
                on_gpu = self._is_on_gpu(voice)
                self._computing[on_gpu] += 1
        finally:
            self._count(voice, -1)
        started = time.monotonic()
        self._metrics.computing.inc()
        try:
            yield
        finally:
            self._computing[on_gpu] -= 1
            self._metrics.computing.dec()
            async with self._changed:
                self._changed.notify_all()
            self._mean_seconds += _WEIGHT * (time.monotonic() - started - self._mean_seconds)

    def admit(self, voice: str) -> None:
        """An answer begins; it may be read for longer than it is computed.

        Raises:
            ApiError: there are too many, or too many wait for this voice.
        """
        self._check_queue(voice)
        if self._open >= _MAX_OPEN:
            raise self._busy("open", "too many answers are being read", voice)
        self._open += 1

    def release(self) -> None:
        """An answer has ended."""
        self._open -= 1

    def _check_queue(self, voice: str) -> None:
        if self._is_full(voice) and self._waiting[voice] >= self._most_waiting:
            raise self._busy("queue", f"too many answers wait for the voice {voice}", voice)

    def _is_full(self, voice: str) -> bool:
        return self._computing[self._is_on_gpu(voice)] >= self._slots(voice)

    def _slots(self, voice: str) -> int:
        return MAX_CONCURRENT_ON_GPU if self._is_on_gpu(voice) else MAX_CONCURRENT

    def _count(self, voice: str, change: int) -> None:
        self._waiting[voice] += change
        self._metrics.waiting.labels(voice).set(self._waiting[voice])

    def _busy(self, reason: str, message: str, voice: str) -> ApiError:
        self._metrics.rejected.labels(reason).inc()
        seconds = math.ceil(self._mean_seconds * (sum(self._waiting.values()) + 1) / self._slots(voice))
        retry = str(min(max(1, seconds), _MAX_RETRY_SECONDS))
        return ApiError(429, message, code="rate_limit_exceeded", headers={"Retry-After": retry})
