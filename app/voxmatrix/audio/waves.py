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
_SILENT_DBFS = -120.0


def trim(samples: NDArray[np.float32], rate_hz: int, levels: NDArray[np.float64] | None = None) -> NDArray[np.float32]:
    """Cut silence at both ends, leaving 50 ms. `levels`: the result of `levels_dbfs`, if already computed.

    A frame of 20 ms is speech when its level is above `max(loud - 40 dB, min(noise + 6 dB, loud - 20 dB))`, where loud
    and noise are the 95th and 10th percentile of all frames, and when it is in a run of at least three such frames.
    Pauses in between stay. A recording without such a run is returned unchanged.
    """
    start, end = speech_span(samples, rate_hz, levels)
    return samples[start:end]


def speech_span(
    samples: NDArray[np.float32], rate_hz: int, levels: NDArray[np.float64] | None = None
) -> tuple[int, int]:
    """What `trim` leaves: from which sample, to which."""
    levels = levels_dbfs(samples, rate_hz) if levels is None else levels
    speech = _speech_frames(levels >= speech_threshold_dbfs(levels)) if len(levels) else None
    if speech is None:
        return 0, len(samples)
    hop, margin = round(HOP_SECONDS * rate_hz), round(MARGIN_SECONDS * rate_hz)
    start = max(0, speech[0] * hop - margin)
    end = len(samples) if speech[1] == len(levels) - 1 else (speech[1] + 2) * hop + margin
    return start, min(end, len(samples))


def speech_threshold_dbfs(levels: NDArray[np.float64]) -> float:
    """The level from which a frame of a recording is speech, by those of all of its frames."""
    noise, loud = np.percentile(levels, (10, 95))
    return float(max(loud - RANGE_DB, min(noise + ABOVE_NOISE_DB, loud - MIN_RANGE_DB)))


def levels_dbfs(samples: NDArray[np.float32], rate_hz: int) -> NDArray[np.float64]:
    """RMS levels of 20 ms frames, one every 10 ms, after removal of the DC offset; at least -120."""
    hop = round(HOP_SECONDS * rate_hz)
    hops = len(samples) // hop
    if hops < 2:
        return np.zeros(0)
    waves = samples[: hops * hop].reshape(hops, hop) - samples.mean(dtype=np.float64).astype(np.float32)
    power = np.einsum("hs,hs->h", waves, waves).astype(np.float64) / hop
    levels: NDArray[np.float64] = 10 * np.log10(np.maximum((power[:-1] + power[1:]) / 2, 10 ** (_SILENT_DBFS / 10)))
    return levels


def _speech_frames(speech: NDArray[np.bool_]) -> tuple[int, int] | None:
    """The first frame of the first long run and the last frame of the last one."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], speech.view(np.int8), [0]))))
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= min(SPEECH_FRAMES, len(speech))
    if not long.any():
        return None
    return int(starts[long][0]), int(ends[long][-1]) - 1
