"""Silence at both ends of a recording, found relative to the recording's own loudness."""

import numpy as np
from numpy.typing import NDArray

MARGIN_SECONDS = 0.05
#: A frame is two hops.
HOP_SECONDS = 0.01
#: Speech is at most so far below the recording's loud parts ...
RANGE_DB = 40.0
#: ... and so far above its noise, unless the noise is so loud that this comes too near to the loud parts.
ABOVE_NOISE_DB = 6.0
LEAST_RANGE_DB = 20.0
#: Fewer frames than this in a row are a click.
SPEECH_FRAMES = 3
_SILENT_DBFS = -120.0


def trim(samples: NDArray[np.float32], rate_hz: int, levels: NDArray[np.float64] | None = None) -> NDArray[np.float32]:
    """Cut silence at both ends and leave 50 ms. `levels`: what `levels_dbfs` said of the samples, when that is known.

    A frame of 20 ms is speech when its level is above `max(loud - 40 dB, min(noise + 6 dB, loud - 20 dB))`, where loud
    and noise are the 95th and 10th percentile of all frames, and at least three such frames follow each other.
    Pauses inside stay. A recording in which nothing stands out is returned whole.
    """
    levels = levels_dbfs(samples, rate_hz) if levels is None else levels
    if not len(levels):
        return samples
    noise, loud = np.percentile(levels, (10, 95))
    threshold = max(loud - RANGE_DB, min(noise + ABOVE_NOISE_DB, loud - LEAST_RANGE_DB))
    speech = _runs(levels >= threshold)
    if speech is None:
        return samples
    hop, margin = round(HOP_SECONDS * rate_hz), round(MARGIN_SECONDS * rate_hz)
    start = max(0, speech[0] * hop - margin)
    end = len(samples) if speech[1] == len(levels) - 1 else (speech[1] + 2) * hop + margin
    return samples[start:end]


def levels_dbfs(samples: NDArray[np.float32], rate_hz: int) -> NDArray[np.float64]:
    """RMS of each 20 ms frame, a frame every 10 ms, without the recording's direct current; -120 is the least."""
    hop = round(HOP_SECONDS * rate_hz)
    hops = len(samples) // hop
    if hops < 2:
        return np.zeros(0)
    waves = samples[: hops * hop].reshape(hops, hop) - samples.mean(dtype=np.float64).astype(np.float32)
    power = np.einsum("hs,hs->h", waves, waves).astype(np.float64) / hop
    levels: NDArray[np.float64] = 10 * np.log10(np.maximum((power[:-1] + power[1:]) / 2, 10 ** (_SILENT_DBFS / 10)))
    return levels


def _runs(speech: NDArray[np.bool_]) -> tuple[int, int] | None:
    """First frame of the first long run and last frame of the last one."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], speech.view(np.int8), [0]))))
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= min(SPEECH_FRAMES, len(speech))
    if not long.any():
        return None
    return int(starts[long][0]), int(ends[long][-1]) - 1
