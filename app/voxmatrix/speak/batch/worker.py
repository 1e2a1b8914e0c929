"""A process that speaks one text after the other: opens the voice once, then asks for texts until there are no more."""

import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection

from voxmatrix.files import storage_errors
from voxmatrix.speak.batch.messages import (
    JobEnded,
    LettersSpoken,
    Message,
    OnLetters,
    SpeakJob,
    SpeakOne,
    VoiceOpened,
    WorkerStart,
    WorkerWarning,
    failure_of,
)
from voxmatrix.speak.device import Warn
from voxmatrix.speak.output import Speech, speak_opened
from voxmatrix.speak.synthesize import SpokenSentence, synthesis_options
from voxmatrix.speak.voice import open_voice


def work(start: WorkerStart, connection: Connection) -> None:
    """The life of the process. It ends when it is told so, or when nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all; the parent answers it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # unwinds, so that half a file is removed
    tempfile.tempdir = str(start.scratch)
    sending = threading.Lock()

    def say(message: Message) -> None:
        with sending:  # threads that compute a sentence may warn
            connection.send(message)

    with ExitStack() as stack, suppress(EOFError, ConnectionError):
        try:
            speak = stack.enter_context(start.opening(start, lambda finding: say(WorkerWarning(finding=finding))))
        except Exception as error:
            say(JobEnded(result=failure_of(error)))
            return
        say(VoiceOpened())
        while (job := connection.recv()) is not None:
            say(_spoken(job, speak, lambda count: say(LettersSpoken(count=count))))


def _spoken(job: SpeakJob, speak: SpeakOne, on_letters: OnLetters) -> JobEnded:
    try:
        with storage_errors(job.out):
            return JobEnded(result=speak(job, on_letters))
    except Exception as error:  # whatever it is, it costs this text and no other
        return JobEnded(result=failure_of(error))


@contextmanager
def opened_voice(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """Speak with the voice, open throughout. What is wrong with it, or with the speaker, shows at once.

    Raises:
        VoxmatrixError: as `open_voice`.
    """
    settings = start.settings
    with open_voice(start.voice, settings.threads, settings.seed, device=start.device, warn=warn) as voice:
        synthesis_options(voice, settings)
        engine = voice.engine

        def speak(job: SpeakJob, on_letters: OnLetters) -> Speech:
            if job.settings.seed is not None:
                engine.reseed(job.settings.seed)

            def spoken(part: SpokenSentence) -> None:
                on_letters(len(part.sentence.text))

            speech = speak_opened(job.out, job.text, voice, job.settings, spoken)
            for finding in speech.warnings:
                warn(finding)
            return speech

        yield speak
