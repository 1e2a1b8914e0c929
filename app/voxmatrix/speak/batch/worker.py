"""The worker process: opens the voice once, then speaks texts until there are no more."""

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from voxmatrix.child_environment import drop_unlisted
from voxmatrix.files import storage_errors
from voxmatrix.models.device import Warn
from voxmatrix.models.family import OpenVoice
from voxmatrix.speak.batch.messages import (
    CharactersSpoken,
    Failure,
    JobEnded,
    Message,
    OnCharacters,
    SpeakJob,
    SpeakOne,
    VoiceOpened,
    WorkerStart,
    WorkerWarning,
    failure_of,
)
from voxmatrix.speak.output import Speech, speak_opened
from voxmatrix.speak.synthesize import SpokenSentence
from voxmatrix.voices.cast import CastVoice
from voxmatrix.voices.resolve import open_voice


def work(start: WorkerStart, connection: Connection) -> None:
    """Run until the parent process sends None or closes the connection."""
    drop_unlisted()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes; the parent handles it
    unreported = _UnreportedFiles()
    signal.signal(signal.SIGTERM, lambda *_: unreported.exit_soon())
    tempfile.tempdir = str(start.scratch)
    sending = threading.Lock()

    def send(message: Message) -> None:
        with sending:  # warnings may come from other threads
            connection.send(message)

    with ExitStack() as stack, suppress(EOFError, ConnectionError):
        try:
            speak = stack.enter_context(start.opening(start, lambda finding: send(WorkerWarning(finding=finding))))
        except Exception as error:
            send(JobEnded(result=failure_of(error)))
            return
        send(VoiceOpened())
        one = partial(_speak, speak, send, unreported)
        if start.at_once == 1:  # in this thread, between whose instructions signals are handled
            while (job := connection.recv()) is not None:
                one(job)
            return
        pool = stack.enter_context(ThreadPoolExecutor(start.at_once, thread_name_prefix="text"))
        while (job := connection.recv()) is not None:
            pool.submit(one, job)


class _UnreportedFiles:
    """The files of the texts that are being spoken. SIGTERM ends the process, but not between a file and its report.

    The handler raises nothing: an exception could come in a finaliser or a callback, where Python prints and drops it.
    So nothing is cleaned up here: the parent process removes the unfinished and the temporary files of its workers.
    """

    def __init__(self) -> None:
        self._paths: set[Path] = set()
        self._stopping = False

    def add(self, path: Path) -> None:
        """This file is being written. It appears, by renaming, when it is finished."""
        self._paths.add(path)

    def reported(self, path: Path) -> None:
        """The parent has the result of this file."""
        self._paths.discard(path)
        if self._stopping:
            self.exit_soon()

    def exit_soon(self) -> None:
        """Exit now or, if a finished file is not reported yet, after its report."""
        self._stopping = True
        if not any(path.exists() for path in tuple(self._paths)):
            os._exit(0)


def _speak(speak: SpeakOne, send: Callable[[Message], None], unreported: _UnreportedFiles, job: SpeakJob) -> None:
    unreported.add(job.out)
    try:
        with storage_errors(job.out):
            result: Speech | Failure = speak(job, lambda count: send(CharactersSpoken(out=job.out, count=count)))
    except Exception as error:  # any error affects only this text
        result = failure_of(error)
    send(JobEnded(result=result, out=job.out))
    unreported.reported(job.out)


@contextmanager
def opened_voice(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """Yield a function that speaks with the open voice. Errors of the voice or the style are raised at once.

    Raises:
        VoxmatrixError: as `open_voice`.
    """
    opening = partial(open_voice, device=start.device, runtime=start.runtime, warn=warn)
    with closing(CastVoice(opening(start.voice), opening)) as voice:
        voice.card.check(start.style)
        voice.load()
        yield partial(speak_job, voice, warn)


def speak_job(voice: OpenVoice, warn: Warn, job: SpeakJob, on_characters: OnCharacters) -> Speech:
    """Speak a text into its file."""

    def spoken(part: SpokenSentence) -> None:
        on_characters(len(part.text.source))

    speech = speak_opened(
        job.out,
        job.text,
        voice,
        job.style,
        output=job.output,
        on_spoken=spoken,
        whole=job.whole,
        captions=[] if job.captions else None,
    )
    for finding in speech.warnings:
        warn(finding)
    return speech
