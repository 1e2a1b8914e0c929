"""The sound of a book, sentence by sentence: 16-bit samples with their pauses and gain."""

from collections.abc import Iterable, Iterator

import numpy as np

from voxmatrix.audio.true_peak import limit_true_peak
from voxmatrix.book.join.sound.speech import Samples16, read_speech
from voxmatrix.book.join.timeline import TimedChapter, TimedSentence

#: At most -1.5 dBTP are wanted in what is heard; encoding moves peaks by some tenths of a decibel.
CEILING_DBTP = -2.0
_FULL_SCALE = 32768


def chapter_sound(chapter: TimedChapter, rate_hz: int, gain_db: float) -> Iterator[bytes]:
    """The sound of one chapter: see `sound`."""
    return sound(((sentence, gain_db) for sentence in chapter.sentences), chapter.start, chapter.end, rate_hz)


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
    gain = np.float32(10 ** (gain_db / 20) / _FULL_SCALE)
    limited = limit_true_peak(samples.astype(np.float32) * gain, rate_hz, CEILING_DBTP)
    scaled = np.clip(np.rint(limited * _FULL_SCALE), -_FULL_SCALE, _FULL_SCALE - 1)
    result: Samples16 = scaled.astype(np.int16)
    return result
