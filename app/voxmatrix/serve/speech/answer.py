"""An answer on its way: computed by a thread when its turn has come, read by a client that may leave at any moment."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor

from voxmatrix.errors import BadInputError, Finding, NoDeviceError
from voxmatrix.models.device import Warn
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.metrics import ServerMetrics
from voxmatrix.serve.speech.job import SpeechJob, SpeechUsage, public_message, run
from voxmatrix.serve.speech.queue import MAX_CONCURRENT, MAX_CONCURRENT_ON_GPU, SpeechQueue
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError, ResponseStream
from voxmatrix.voices.opened import OpenVoices

#: Of the threads that compute, above that of the program: those that answer /healthz and read requests go first.
_NICENESS, _MOST_NICE = 5, 19


class Answer:
    """One answer. It ends with `close`, whatever happened."""

    def __init__(self, service: "SpeechService", job: SpeechJob) -> None:
        self.job = job
        self.spoken = SpeechUsage()
        self._service = service
        self._stream = ResponseStream()
        self._task = asyncio.create_task(service.compute(job, self._stream, self.spoken))

    async def first(self) -> bytes:
        """The first piece, after which the answer can no longer be an error.

        Raises:
            ApiError: the text cannot be spoken, or too many answers wait.
            VoxmatrixError: the server failed.
        """
        try:
            piece = await self._stream.next()
            if piece is None:
                self._stream.end()  # for the reader of the rest
            return piece or b""
        except BadInputError as error:
            message = public_message(error, self.job.voice)
            raise ApiError(400, message, param="input", code="invalid_value") from error

    async def rest(self) -> AsyncIterator[bytes]:
        """The other pieces.

        Raises:
            VoxmatrixError: the server failed in the middle.
        """
        while (piece := await self._stream.next()) is not None:
            yield piece

    async def all(self) -> bytes:
        """The other pieces together."""
        return b"".join([piece async for piece in self.rest()])

    async def close(self) -> None:
        """End the computation, if it has not ended, and wait for its thread."""
        self._stream.disconnect()
        self._task.cancel()
        await asyncio.wait([self._task])
        self._service.closed(self)


class SpeechService:
    """Computes answers, a few at a time."""

    def __init__(self, voices: OpenVoices, queue: SpeechQueue, metrics: ServerMetrics, warn: Warn) -> None:
        """`warn` is called when an answer has ended that does not sound like its text."""
        self._voices = voices
        self._warn = warn
        self._queue = queue
        self._metrics = metrics
        most = MAX_CONCURRENT + MAX_CONCURRENT_ON_GPU  # no more than compute at once are started
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="answer", initializer=_lower_priority)
        self._open: set[Answer] = set()

    def begin(self, job: SpeechJob) -> Answer:
        """Begin an answer.

        Raises:
            ApiError: too many are open, or wait for this voice.
        """
        self._queue.admit(job.voice.id)
        answer = Answer(self, job)
        self._open.add(answer)
        return answer

    def closed(self, answer: Answer) -> None:
        """An answer has ended."""
        if answer in self._open:
            self._open.remove(answer)
            self._queue.release()
            self._metrics.audio_seconds.labels(answer.job.voice.id).inc(answer.spoken.seconds)
            if answer.spoken.warning:
                problem = f"the voice {answer.job.voice.id} does not say what it should: {answer.spoken.warning}"
                self._warn(Finding(problem=problem, remedy="listen to it", severity="warning"))

    async def compute(self, job: SpeechJob, stream: ResponseStream, spoken: SpeechUsage) -> None:
        """Wait for a slot and speak. What goes wrong reaches the reader of the stream."""
        try:
            async with self._queue.slot(job.voice.id):
                await self._in_thread(lambda: run(job, self._voices, stream, spoken), stream)
        except ClientDisconnectedError:
            return
        except NoDeviceError as error:
            self._voices.lost_device = Finding(problem=error.problem, remedy=error.remedy)
            stream.end(error)
        except Exception as error:
            stream.end(error)
        else:
            stream.end()

    async def close(self) -> None:
        """End all answers: each after the part that its thread computes, and none waits for another."""
        await asyncio.gather(*(answer.close() for answer in list(self._open)))
        self._pool.shutdown()

    async def _in_thread(self, work: Callable[[], None], stream: ResponseStream) -> None:
        """Do the work in a thread. When cancelled, wait until the thread has ended: until then it uses its place."""
        thread = asyncio.get_running_loop().run_in_executor(self._pool, work)
        try:
            await asyncio.shield(thread)
        except asyncio.CancelledError:
            stream.disconnect()
            await asyncio.wait([thread])
            thread.exception()  # nobody asks for it any more
            raise


def _lower_priority() -> None:
    """Let the thread that talks to clients run before this one (at 64 clients, /healthz answers in half the time)."""
    if sys.platform == "linux":  # elsewhere, priorities are those of processes
        thread = threading.get_native_id()
        niceness = min(_MOST_NICE, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)
        os.setpriority(os.PRIO_PROCESS, thread, niceness)  # also of threads that it starts
