"""Read the speech of a sentence, and compare it with what was promised."""

import hashlib
import io

import numpy as np
import numpy.typing as npt

from voxmatrix.book.join.timeline import Spoken
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import read_errors

Samples16 = npt.NDArray[np.int16]
_REMEDY = "run the same command again: damaged speech is made again"


def read_speech(spoken: Spoken) -> Samples16:
    """The samples of a sentence, (samples,), from exactly the bytes whose checksum was verified.

    Raises:
        BadInputError: the file is missing or may not be read.
        DamagedFileError: the file is not the one that was promised, or not mono sound of 16 bits.
    """
    import soundfile

    try:
        with read_errors(spoken.path):
            data = spoken.path.read_bytes()
    except BadInputError as error:
        raise BadInputError(f"{spoken}: {error.problem}", _REMEDY) from error
    if hashlib.sha256(data).hexdigest() != spoken.sha256:
        raise DamagedFileError(f"{spoken}: {spoken.path} was changed or is damaged: its checksum differs", _REMEDY)
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            found = (file.samplerate, file.channels, file.subtype)
            samples: Samples16 = file.read(dtype="int16")
    except (soundfile.LibsndfileError, RuntimeError) as error:
        raise DamagedFileError(f"{spoken}: {spoken.path} is not a sound file", _REMEDY) from error
    if found != (spoken.rate_hz, 1, "PCM_16") or len(samples) != spoken.samples:
        rate_hz, channels, subtype = found
        seen = f"{len(samples)} samples, {rate_hz} Hz, {channels} channels, {subtype}"
        wanted = f"{spoken.samples} samples, {spoken.rate_hz} Hz, 1 channel, PCM_16"
        raise DamagedFileError(f"{spoken}: {spoken.path} holds {seen} instead of {wanted}", _REMEDY)
    return samples
