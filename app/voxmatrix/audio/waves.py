"""Waves in memory, and the silence at both ends of a recording, trimmed relative to its own loudness."""

import numpy as np
from numpy.typing import NDArray

#: (n,) or (n, channels), in -1..1.
Samples = NDArray[np.float32]
#: The largest sample in 16 bits.
INT16_MAX = 32767


MARGIN_SECONDS = 0.05
#: A frame is two hops long.
HOP_SECONDS = 0.01
#: Speech is at most this far below the loud parts of the recording ...
RANGE_DB = 40.0
#: ... and at least this far above its noise; but the threshold never comes closer to the loud parts than MIN_RANGE_DB.
ABOVE_NOISE_DB = 6.0
MIN_RANGE_DB = 20.0
#: Fewer speech frames than this in a row are a click.
SPEECH_FRAMES = 3
#: Frames that are surely speech are at most so far below the loud parts. Before the first of them, and behind the last
#: one, a steady sound is none: hiss and hum have no frames so far above their median.
SURE_DB = 18.0
_STEADY_DB, _STEADY_SECONDS = 6.0, 0.6
_SILENT_DBFS = -120.0


def trim(samples: NDArray[np.float32], rate_hz: int, levels: NDArray[np.float64] | None = None) -> NDArray[np.float32]:
    """Cut silence at both ends, leaving 50 ms. `levels`: the result of `levels_dbfs`, if already computed.

    A frame of 20 ms is speech when its level is above `max(loud - 40 dB, min(noise + 6 dB, loud - 20 dB))`, where loud
    and noise are the 95th and 10th percentile of all frames, and when it is in a run of at least three such frames.
    A steady sound of more than 0.6 s at an end, such as hiss, is silence too. Pauses in between stay. A recording
    without such a run is returned unchanged.
    """
    start, end = speech_span(samples, rate_hz, levels)
    return samples[start:end]


def speech_span(
    samples: NDArray[np.float32], rate_hz: int, levels: NDArray[np.float64] | None = None
) -> tuple[int, int]:
    """What `trim` leaves: from which sample, to which."""
    levels = levels_dbfs(samples, rate_hz) if levels is None else levels
    if not len(levels):
        return 0, len(samples)
    noise_dbfs, loud_dbfs = _noise_and_loud(levels)
    speech = spoken_frames(levels, loud_dbfs, _threshold_dbfs(noise_dbfs, loud_dbfs))
    if speech is None:
        return 0, len(samples)
    hop, margin = round(HOP_SECONDS * rate_hz), round(MARGIN_SECONDS * rate_hz)
    start = max(0, speech[0] * hop - margin)
    end = len(samples) if speech[1] == len(levels) - 1 else (speech[1] + 2) * hop + margin
    return start, min(end, len(samples))


def speech_threshold_dbfs(levels: NDArray[np.float64]) -> float:
    """The level from which a frame of a recording is speech, by those of all of its frames."""
    return _threshold_dbfs(*_noise_and_loud(levels))


def _noise_and_loud(levels: NDArray[np.float64]) -> tuple[float, float]:
    noise, loud = np.percentile(levels, (10, 95)).tolist()
    return noise, loud


def _threshold_dbfs(noise_dbfs: float, loud_dbfs: float) -> float:
    return max(loud_dbfs - RANGE_DB, min(noise_dbfs + ABOVE_NOISE_DB, loud_dbfs - MIN_RANGE_DB))


def levels_dbfs(samples: NDArray[np.float32], rate_hz: int, offset: float | None = None) -> NDArray[np.float64]:
    """RMS levels of 20 ms frames, one every 10 ms, after removal of the DC offset; at least -120.

    `offset` is that of the samples, if already computed.
    """
    hop = round(HOP_SECONDS * rate_hz)
    hops = len(samples) // hop
    if hops < 2:
        return np.zeros(0)
    offset = samples.mean(dtype=np.float64) if offset is None else offset
    waves = samples[: hops * hop].reshape(hops, hop) - np.float32(offset)
    power = np.einsum("hs,hs->h", waves, waves).astype(np.float64) / hop
    levels: NDArray[np.float64] = 10 * np.log10(np.maximum((power[:-1] + power[1:]) / 2, 10 ** (_SILENT_DBFS / 10)))
    return levels


def spoken_frames(levels: NDArray[np.floating], loud_dbfs: float, threshold_dbfs: float) -> tuple[int, int] | None:
    """The first and the last frame of speech, which is above the threshold; None if there is none."""
    spoken, sure = runs(levels >= threshold_dbfs), runs(levels >= loud_dbfs - SURE_DB)
    if not spoken:
        return None
    start, end = spoken[0][0], spoken[-1][1]
    if sure:
        start += _steady(levels[start : sure[0][0]])
        end -= _steady(levels[sure[-1][1] : end][::-1])
    return start, end - 1


def runs(speech: NDArray[np.bool_], least: int = SPEECH_FRAMES) -> list[tuple[int, int]]:
    """The first frame of each run of at least `least` frames (or of all frames, if they are fewer), and its end."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], speech.view(np.int8), [0]))))
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= min(least, len(speech))
    return list(zip(starts[long].tolist(), ends[long].tolist(), strict=True))


def _steady(levels: NDArray[np.floating]) -> int:
    """How many frames before a word are a steady sound, and no speech."""
    least = round(_STEADY_SECONDS / HOP_SECONDS)
    if len(levels) < least:
        return 0
    louder = runs(levels >= np.median(levels) + _STEADY_DB)
    steady = louder[0][0] if louder else len(levels)
    return steady if steady >= least else 0
