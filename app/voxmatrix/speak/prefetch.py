"""Compute sentences while earlier ones are played, and return them in order."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.models.family import Utterance
from voxmatrix.text.spoken import SpokenText

#: Turns the segments of a sentence, as they are computed, into the pieces that are wanted of it.
Cut = Callable[[Iterator[Samples]], Iterable[Samples]]
Begin = Callable[[SpokenText], Utterance]


#: How often it is checked whether what is waited for is still wanted.
_CHECK_SECONDS = 0.25
T = TypeVar("T")


def whole(segments: Iterator[Samples]) -> Iterable[Samples]:
    """One piece."""
    return [np.concatenate([np.zeros(0, np.float32), *segments])]


def prefetch(
    texts: Iterable[SpokenText],
    begin: Begin,
    workers: int,
    *,
    cut_first: Cut = whole,
    check: Callable[[], None] = lambda: None,
) -> Iterator[tuple[SpokenText, Utterance, Samples]]:
    """Yield each sentence with its samples, the first with each of its pieces. At most `workers + 1` are read ahead.

    `check` is called now and then while a sentence is waited for; what it raises ends the speech. An interruption does
    not wait for running computations: what is spoken must be saved before the container is killed.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="speak")
    pipeline = _Pipeline(begin, pool, workers + 1, cut_first, check)
    wait = True
    try:
        pipeline.start(texts)
        yield from pipeline
    except KeyboardInterrupt:
        wait = False
        raise
    finally:
        pipeline.stop()
        pool.shutdown(wait=wait)


#: A sentence that has begun, and the segments that are being computed of it.
_Begun = tuple[Utterance, Sequence[Future[Samples]]]


class _Pipeline:
    """A queue of computations, filled by a thread as the sentences arrive."""

    def __init__(
        self, begin: Begin, pool: ThreadPoolExecutor, ahead: int, cut_first: Cut, check: Callable[[], None]
    ) -> None:
        self._begin = begin
        self._check = check
        self._current: Future[_Begun] | None = None
        self._cut = cut_first
        self._pool = pool
        self._stopped = False
        self._waiting: queue.Queue[tuple[SpokenText, Future[_Begun]] | BaseException | None] = queue.Queue(ahead)

    def start(self, texts: Iterable[SpokenText]) -> None:
        """Begin to read sentences."""
        # A daemon: it may block forever while reading standard input.
        threading.Thread(target=self._feed, args=[texts], daemon=True, name="text").start()

    def __iter__(self) -> Iterator[tuple[SpokenText, Utterance, Samples]]:
        while (waiting := self._waiting.get()) is not None:
            if isinstance(waiting, BaseException):
                raise waiting
            text, self._current = waiting
            utterance, segments = self._result(self._current)
            cut = self._cut if segments else whole
            for samples in cut(self._result(segment) for segment in segments):
                yield text, utterance, samples
            if segments:
                self._cut = whole

    def stop(self) -> None:
        """Stop the thread and cancel all pending computations."""
        self._stopped = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        begun = [self._current] if self._current else []
        while not self._waiting.empty():
            if isinstance(waiting := self._waiting.get(), tuple):
                begun.append(waiting[1])
        for one in begun:
            if one.done() and not one.cancelled() and one.exception() is None:
                one.result()[0].cancel()

    def _result(self, future: "Future[T]") -> T:
        """Its result, unless `check` raises an error first."""
        while not future.done():
            with suppress(TimeoutError):
                future.exception(_CHECK_SECONDS)
            self._check()
        return future.result()

    def _feed(self, texts: Iterable[SpokenText]) -> None:
        try:
            for number, text in enumerate(texts):
                if self._stopped:
                    return
                begun = self._pool.submit(self._begin_one, text)
                # Somebody waits for the first: all its computations are queued before those of the second.
                if number == 0:
                    begun.exception()  # waits; an error is raised when the sentence is due
                self._waiting.put((text, begun))
            self._waiting.put(None)
        except BaseException as error:
            if not self._stopped:
                self._waiting.put(error)

    def _begin_one(self, text: SpokenText) -> _Begun:
        utterance = self._begin(text)
        return utterance, [self._pool.submit(segment) for segment in utterance.segments]
