"""What workers of tests speak with, and what goes wrong there. Functions of a module: other processes find them."""

import errno
import os
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from voxmatrix.errors import BadInputError, Finding, MemoryExhaustedError, UnreachableError
from voxmatrix.files import replacing
from voxmatrix.models.device import Warn
from voxmatrix.piper.engines.networks import Network
from voxmatrix.speak.batch.messages import OnCharacters, SpeakJob, SpeakOne, WorkerStart
from voxmatrix.speak.batch.worker import opened_voice
from voxmatrix.speak.output import Speech


def _written(job: SpeakJob, on_characters: OnCharacters) -> Speech:
    on_characters(len(job.text))
    with replacing(job.out) as file:
        file.write(job.text.encode())
    return Speech(sentences=1, seconds=float(len(job.text)), rate_hz=16000, findings=())


def _said(job: SpeakJob, on_characters: OnCharacters) -> Speech:
    """Does what the first word of the text asks for."""
    mark = job.out.with_name(f"{job.out.stem}.mark")
    mark.parent.mkdir(exist_ok=True)
    match job.text.split()[0]:
        case "impossible":
            raise MemoryExhaustedError("this text needs more memory than there is", "divide it")
        case "greedy":
            raise MemoryError
        case "silent":
            raise BadInputError("there is nothing to speak", "give some text")
        case "odd":
            raise ZeroDivisionError("division by zero")
        case "full":
            raise OSError(errno.ENOSPC, "No space left on device")
        case "forbidden":
            raise UnreachableError("cannot write it", "free some space")
        case "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "unlucky" if not mark.exists():
            mark.touch()
            with replacing(job.out) as file:
                file.write(b"half")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        case "endless":
            with replacing(job.out) as file:
                file.write(b"half")
                file.flush()
                mark.touch()
                time.sleep(600)
    return _written(job, on_characters)


@contextmanager
def obedient(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """Texts say what happens to them."""
    yield _said


@contextmanager
def together(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """Texts that end only when four of them are spoken at once."""
    barrier = threading.Barrier(4)

    def said(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        barrier.wait(60)
        return _written(replace(job, text=f"process {os.getpid()}"), on_characters)

    yield said


@contextmanager
def no_voice(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A voice that cannot be opened."""
    raise BadInputError("the voice has no speaker 'bo'", "choose anna")
    yield _said


@contextmanager
def dies_at_once(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A process that dies before it has opened anything."""
    os.kill(os.getpid(), signal.SIGKILL)
    yield _said


@contextmanager
def one_only(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """Memory for one worker: whoever comes second finds none."""
    try:
        (start.scratch / "taken").touch(exist_ok=False)
    except FileExistsError as error:
        raise MemoryExhaustedError("no memory left to load the voice", "close programs") from error
    yield _said


@contextmanager
def on_a_failing_gpu(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """Every worker's GPU fails, and the CPU goes on."""
    warn(Finding(problem=f"{start.device} failed, falling back to the CPU", remedy="see", severity="warning"))
    yield _said


@contextmanager
def with_memory_for_200_symbols(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """The real voice, on a computer that has no memory for the first half of a longer sentence."""
    run = Network.run_timed

    def refusing(network: Network, inputs: dict[str, Any]) -> Any:
        if "input" in network.part.inputs and inputs["input"].shape[1] > 200:
            raise MemoryError
        return run(network, inputs)

    with patch.object(Network, "run_timed", refusing), opened_voice(start, warn) as speak:
        yield speak


def _stop_this_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


class _Finalised:
    def __del__(self) -> None:
        _stop_this_process()


@contextmanager
def stopped_in_a_finaliser(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """SIGTERM comes where Python prints exceptions and drops them."""

    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        _Finalised()
        return _written(job, on_characters)

    yield speak


@contextmanager
def stopped_in_a_weakref_callback(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """SIGTERM comes where Python prints exceptions and drops them."""

    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        referenced = threading.Event()
        reference = weakref.ref(referenced, lambda _: _stop_this_process())
        del referenced
        assert reference() is None
        return _written(job, on_characters)

    yield speak


@contextmanager
def stopped_when_finished(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """SIGTERM comes when the file is complete and not reported."""

    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        speech = _written(job, on_characters)
        _stop_this_process()
        return speech

    yield speak


@contextmanager
def stopped_in_the_middle(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """SIGTERM comes while the file is being written."""

    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        with replacing(job.out) as file:
            file.write(b"RIFF")
            _stop_this_process()
        raise AssertionError("SIGTERM was ignored")

    yield speak


@contextmanager
def finished_when_stopped(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A file is complete, and SIGTERM has come, before it is reported."""

    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        came = threading.Event()  # a mask would be that of this thread, and any other may take the signal
        usual = signal.signal(signal.SIGTERM, lambda *_: came.set())
        speech = _written(job, on_characters)
        came.wait()
        signal.signal(signal.SIGTERM, usual)
        _stop_this_process()
        return speech

    yield speak
