"""The sound of a book, sentence by sentence: verified speech, 16-bit samples with their pauses and gain."""

import hashlib
import io
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.loudness_meter import limit_true_peak
from voxmatrix.book.join.timeline import Spoken, TimedChapter, TimedSentence
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


#: At most -1.5 dBTP are wanted in what is heard; encoding moves peaks by some tenths of a decibel.
CEILING_DBTP = -2.0
#: Of 16-bit samples.
FULL_SCALE = 32768


def chapter_sound(chapter: TimedChapter, rate_hz: int, gains_db: Iterable[float]) -> Iterator[bytes]:
    """The sound of one chapter: see `sound`."""
    return sound(zip(chapter.sentences, gains_db, strict=True), chapter.start, chapter.end, rate_hz)


def sound(sentences: Iterable[tuple[TimedSentence, float]], start: int, end: int, rate_hz: int) -> Iterator[bytes]:
    """The sound from `start` to `end` as little-endian samples: sentences, each with its gain in dB, and silence.

    Raises:
        BadInputError, DamagedFileError: the file of a sentence is missing, or not what was promised.
    """
    at = start
    for sentence, gain_db in sentences:
        yield bytes(2 * (sentence.start - at))
        yield levelled(read_speech(sentence.spoken), rate_hz, gain_db).astype("<i2", copy=False).tobytes()
        at = sentence.end
    yield bytes(2 * (end - at))


def levelled(samples: Samples16, rate_hz: int, gain_db: float) -> Samples16:
    """Samples with a gain; for some milliseconds around peaks that would be too high, it is lower."""
    gain = np.float32(10 ** (gain_db / 20) / FULL_SCALE)
    limited = limit_true_peak(samples.astype(np.float32) * gain, rate_hz, CEILING_DBTP)
    scaled = np.clip(np.rint(limited * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
    result: Samples16 = scaled.astype(np.int16)
    return result
