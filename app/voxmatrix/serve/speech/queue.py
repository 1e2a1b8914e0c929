"""Whose turn it is to compute. A few answers at a time keep all CPUs busy; more would only take longer."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.metrics import ServerMetrics

#: Answers that are computed at once. One leaves CPUs idle while it reads its text and when it ends; with more, each of
#: them ends later. (8 clients, medium voice, 2 busy cores: 1, 2 and 3 differ less than two runs of the same.)
MAX_CONCURRENT = 2
#: Answers whose clients still read.
_MAX_OPEN = 512
_FIRST_GUESS_SECONDS = 2.0
_WEIGHT = 0.2
_MAX_RETRY_SECONDS = 600


class SpeechQueue:
    """A bounded queue for each voice, and MAX_CONCURRENT slots for all of them. Belongs to one event loop."""

    def __init__(self, most_waiting: int, metrics: ServerMetrics) -> None:
        self._most_waiting = most_waiting
        self._metrics = metrics
        self._waiting: Counter[str] = Counter()
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
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
            await self._slots.acquire()
        finally:
            self._count(voice, -1)
        started = time.monotonic()
        self._metrics.computing.inc()
        try:
            yield
        finally:
            self._slots.release()
            self._metrics.computing.dec()
            self._mean_seconds += _WEIGHT * (time.monotonic() - started - self._mean_seconds)

    def admit(self, voice: str) -> None:
        """An answer begins; it may be read for longer than it is computed.

        Raises:
            ApiError: there are too many, or too many wait for this voice.
        """
        self._check_queue(voice)
        if self._open >= _MAX_OPEN:
            raise self._busy("open", "too many answers are being read")
        self._open += 1

    def release(self) -> None:
        """An answer has ended."""
        self._open -= 1

    def _check_queue(self, voice: str) -> None:
        if self._slots.locked() and self._waiting[voice] >= self._most_waiting:
            raise self._busy("queue", f"too many answers wait for the voice {voice}")

    def _count(self, voice: str, change: int) -> None:
        self._waiting[voice] += change
        self._metrics.waiting.labels(voice).set(self._waiting[voice])

    def _busy(self, reason: str, message: str) -> ApiError:
        self._metrics.rejected.labels(reason).inc()
        seconds = math.ceil(self._mean_seconds * (sum(self._waiting.values()) + 1) / MAX_CONCURRENT)
        retry = str(min(max(1, seconds), _MAX_RETRY_SECONDS))
        return ApiError(429, message, code="rate_limit_exceeded", headers={"Retry-After": retry})
