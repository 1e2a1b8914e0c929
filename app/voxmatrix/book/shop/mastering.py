"""The sound of a file for a shop: one gain for its RMS level, limited peaks, and room tone all through."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.loudness_meter import limit_true_peak
from voxmatrix.audio.waves import Samples, speech_span
from voxmatrix.book.join.samples import read_speech
from voxmatrix.book.join.timeline import TimedSentence
from voxmatrix.tables.shops import Shop

#: Of the noise that is there instead of digital silence, which editors of shops take for dropouts: far below what they
#: allow, and below what is heard (decision 48).
ROOM_TONE_DB = -75.0
#: Speech that needs more is damaged rather than quiet.
MAX_GAIN_DB = 30.0
#: Limited peaks lower the level: the gain is corrected until it is this close, or so often.
_CLOSE_DB, _CORRECTIONS = 0.05, 4
_FULL_SCALE = 32768
#: Silence is yielded in pieces of at most so many seconds.
_PIECE_SECONDS = 10


class Master:
    """The sound of one file, which is read several times: neighbouring sentences, with silence before and behind."""

    def __init__(
        self, sentences: Sequence[TimedSentence], voice_gains_db: Sequence[float], rate_hz: int, shop: Shop
    ) -> None:
        """`sentences` are of a timeline at `rate_hz`, each with the gain of its voice."""
        self._sentences, self._rate_hz, self._shop = sentences, rate_hz, shop
        self._voice_gains_db = voice_gains_db

    def sound(self) -> Iterator[bytes]:
        """Mono 16-bit little-endian samples at the level of the shop.

        Raises:
            BadInputError, DamagedFileError: the file of a sentence is missing, or not what was promised.
        """
        random = np.random.default_rng(0)  # the same noise in each file
        amplitude = np.float32(10 ** (ROOM_TONE_DB / 20) * np.sqrt(12))
        for piece in self._pieces(self._gain_db()):
            noise = (random.random(len(piece), np.float32) - np.float32(0.5)) * amplitude
            scaled = np.clip(np.rint((piece + noise) * _FULL_SCALE), -_FULL_SCALE, _FULL_SCALE - 1)
            yield scaled.astype("<i2").tobytes()

    def _gain_db(self) -> float:
        """The gain after which the whole file has the level, rounded, so that it does not depend on the last bits."""
        level, gain = self._level_db(0.0, limited=False), 0.0
        if not np.isfinite(level):
            return 0.0
        for _ in range(_CORRECTIONS):
            gain = round(float(np.clip(gain + self._shop.aim_rms_db - level, -MAX_GAIN_DB, MAX_GAIN_DB)), 2)
            level = self._level_db(gain)
            if abs(level - self._shop.aim_rms_db) < _CLOSE_DB:
                break
        return gain

    def _level_db(self, gain_db: float, *, limited: bool = True) -> float:
        """The RMS level of the file with a gain, silence included."""
        energy, count = 0.0, 0
        for piece in self._pieces(gain_db, limited=limited):
            energy += float(np.square(piece, dtype=np.float64).sum())
            count += len(piece)
        return float(10 * np.log10(energy / count)) if energy else -np.inf

    def _pieces(self, gain_db: float, *, limited: bool = True) -> Iterator[Samples]:
        rate_hz, shop = self._rate_hz, self._shop
        yield from self._silence(round(shop.aim_head_seconds * rate_hz))
        for number, (sentence, voice_db) in enumerate(zip(self._sentences, self._voice_gains_db, strict=True), start=1):
            gain = np.float32(10 ** ((gain_db + voice_db) / 20) / _FULL_SCALE)
            last = number == len(self._sentences)
            speech = self._without_ends(read_speech(sentence.spoken), first=number == 1, last=last) * gain
            yield limit_true_peak(speech, rate_hz, shop.aim_peak_db) if limited else speech
            if not last:
                yield from self._silence(self._sentences[number].start - sentence.end)
        yield from self._silence(round(shop.aim_tail_seconds * rate_hz))

    def _without_ends(self, speech: npt.NDArray[np.int16], *, first: bool, last: bool) -> Samples:
        """Speech without the silence that would make that of the file too long."""
        samples: Samples = speech.astype(np.float32)
        start, end = speech_span(samples, self._rate_hz) if first or last else (0, 0)
        return samples[start if first else 0 : end if last else len(samples)]

    def _silence(self, count: int) -> Iterator[Samples]:
        piece = _PIECE_SECONDS * self._rate_hz
        for start in range(0, count, piece):
            yield np.zeros(min(piece, count - start), np.float32)
