"""How a recording is measured."""

import numpy as np

from voxmatrix.audio.measures.faults import band_edge_hz, click, decay_db_per_second, flat_tops, hum, voice_hz
from voxmatrix.audio.measures.frames import Frames, frames_of
from voxmatrix.audio.measures.measures import Measures
from voxmatrix.audio.waves import HOP_SECONDS, Samples, runs

#: Shorter recordings tell nothing.
_MIN_SECONDS = 0.1
#: Frames at each end in which nobody should speak yet, or still.
_EDGE_FRAMES = 3


def measure(samples: Samples, rate_hz: int) -> Measures:
    """Measure mono samples (n,) at the rate in Hz."""
    if len(samples) < _MIN_SECONDS * rate_hz:
        return Measures()
    offset = float(samples.mean(dtype=np.float64))
    centred = samples - np.float32(offset)
    frames = frames_of(centred, rate_hz)
    hum_hz, hum_dbfs = hum(centred, rate_hz)
    click_at, clicks = click(centred, rate_hz)
    pause, pause_at = _longest_pause(frames)
    speech = frames.levels_dbfs[frames.start : frames.end] >= frames.threshold_dbfs
    return Measures(
        speech_dbfs=round(frames.loud_dbfs, 1),
        noise_dbfs=round(frames.noise_dbfs, 1),
        offset=round(offset, 4),
        hum_hz=hum_hz,
        hum_dbfs=round(hum_dbfs, 1),
        edge_hz=round(band_edge_hz(frames)),
        decay_db=round(decay_db_per_second(frames), 1),
        click_seconds=round(click_at, 3),
        clicks=clicks,
        flat_tops=flat_tops(centred),
        voice_hz=round(voice_hz(centred, rate_hz, frames), 1),
        before_seconds=round(frames.start * HOP_SECONDS, 2),
        after_seconds=round(max(0.0, len(samples) / rate_hz - frames.end * HOP_SECONDS), 2),
        pause_seconds=round(pause, 2),
        pause_at=round(pause_at, 2),
        active_seconds=round(int(speech.sum()) * HOP_SECONDS, 2),
        first_dbfs=round(float(frames.levels_dbfs[:_EDGE_FRAMES].max()), 1),
        last_dbfs=round(float(frames.levels_dbfs[-_EDGE_FRAMES:].max()), 1),
    )


def _longest_pause(frames: Frames) -> tuple[float, float]:
    """The longest time in which nobody speaks, between words, and where it begins."""
    quiet = frames.levels_dbfs[frames.start : frames.end] < frames.threshold_dbfs
    pauses = runs(quiet, 1)
    if not pauses:
        return 0.0, 0.0
    start, end = max(pauses, key=lambda pause: pause[1] - pause[0])
    return (end - start) * HOP_SECONDS, (frames.start + start) * HOP_SECONDS
