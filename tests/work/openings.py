"""What workers of these tests speak with. Functions of a module: other processes find them."""

import array
import math
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


def _by_first_word(job: SpeakJob, on_characters: OnCharacters) -> Speech:
    """Speech of a usual length; or too short or silent, as the first word asks for."""
    match job.text.split()[0].lower(), job.style.seed:
        case ("tiny", _) | ("moody", 0):
            samples = RATE_HZ // 50
        case _:
            samples = RATE_HZ * len(job.text) // 12
    level = 0 if job.text.lower().startswith("quiet") else 8000
    sound = array.array("h", [round(level * math.sin(number / 10)) for number in range(samples)]).tobytes()
    with replacing(job.out) as file:
        file.write(header(RATE_HZ, len(sound)) + sound)
    return Speech(sentences=1, seconds=samples / RATE_HZ, rate_hz=RATE_HZ, findings=())


@contextmanager
def by_first_word(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A voice that says some sentences wrong: `tiny` and `quiet` ones always, `moody` ones with the seed 0."""
    yield _by_first_word
