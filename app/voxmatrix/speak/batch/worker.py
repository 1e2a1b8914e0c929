"""The worker process: opens the voice once, then speaks texts until there are no more."""

import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection

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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # unwinds the stack, which removes unfinished files
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
        one = partial(_speak, speak, send)
        if start.at_once == 1:  # in this thread, so that a signal interrupts the text and removes its file
            while (job := connection.recv()) is not None:
                one(job)
            return
        pool = stack.enter_context(ThreadPoolExecutor(start.at_once, thread_name_prefix="text"))
        while (job := connection.recv()) is not None:
            pool.submit(one, job)


def _speak(speak: SpeakOne, send: Callable[[Message], None], job: SpeakJob) -> None:
    try:
        with storage_errors(job.out):
            result: Speech | Failure = speak(job, lambda count: send(CharactersSpoken(out=job.out, count=count)))
    except Exception as error:  # any error affects only this text
        result = failure_of(error)
    send(JobEnded(result=result, out=job.out))


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
