"""Where in a recording somebody speaks, by the network silero that faster-whisper brings."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import Samples
from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.errors import MissingProgramError

RATE_HZ = 16_000
#: The samples of each probability: 32 ms.
STEP_SAMPLES = 512
#: Samples that are looked at together, which bounds the memory: a minute.
_BLOCK_SAMPLES = 1875 * STEP_SAMPLES


def speech_probabilities(samples: Iterable[Samples]) -> Iterable[NDArray[np.float32]]:
    """The probability of speech in every 32 ms, a minute at a time, of blocks of mono samples at 16 kHz.

    Raises:
        MissingProgramError: faster-whisper is not installed.
    """
    try:
        import_onnxruntime()  # without its telemetry, before faster-whisper imports it
        from faster_whisper.vad import get_vad_model
    except ImportError as error:
        raise MissingProgramError("faster-whisper is not installed", 'pip install "voxmatrix[judge]"') from error
    model = get_vad_model()
    for minute in _minutes(samples):
        yield np.asarray(model(np.pad(minute, (0, -len(minute) % STEP_SAMPLES))), np.float32).ravel()


def _minutes(samples: Iterable[Samples]) -> Iterable[Samples]:
    waiting: list[Samples] = []
    for block in samples:
        waiting.append(block)
        if sum(map(len, waiting)) >= _BLOCK_SAMPLES:
            joined = np.concatenate(waiting)
            whole = len(joined) - len(joined) % _BLOCK_SAMPLES
            yield from joined[:whole].reshape(-1, _BLOCK_SAMPLES)
            waiting = [joined[whole:]]
    rest = np.concatenate(waiting) if waiting else np.zeros(0, np.float32)
    if len(rest):
        yield rest
