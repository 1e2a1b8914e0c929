"""What workers of these tests speak with. Functions of a module: other processes find them."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from voxmatrix.errors import BadInputError, UnreachableError
from voxmatrix.files import replacing
from voxmatrix.models.device import Warn
from voxmatrix.speak.batch.messages import OnCharacters, SpeakJob, SpeakOne, WorkerStart
from voxmatrix.speak.output import Speech
from voxmatrix.speak.wav import header

RATE_HZ = 16000


def _tone(job: SpeakJob, on_characters: OnCharacters) -> Speech:
    """Does what the first word asks for, and writes a sound that depends on nothing but text and seed."""
    match job.text.split()[0]:
        case "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        case "silent":
            raise BadInputError("there is nothing to speak", "give some text")
        case "full":
            raise UnreachableError("cannot write it: no space left", "free some space")
        case "slow":
            time.sleep(0.2)
    samples = 100 + len(job.text)
    sound = f"{job.text} {job.style.seed}".encode() * 100
    with replacing(job.out) as file:
        file.write(header(RATE_HZ, 2 * samples) + sound[: 2 * samples])
    return Speech(sentences=1, seconds=samples / RATE_HZ, rate_hz=RATE_HZ, findings=())


@contextmanager
def free(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A voice that costs nothing."""
    yield _tone


@contextmanager
def no_voice(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A voice that cannot be opened."""
    raise BadInputError("the voice has no speaker 'bo'", "choose anna")
    yield _tone
