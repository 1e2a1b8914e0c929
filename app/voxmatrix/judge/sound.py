"""Whether the speech of many sentences can be that of their texts, by its length, level and pauses. Needs no model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from voxmatrix.audio.loudness import FRAME_SECONDS, GATE_DB, speech_level_dbfs
from voxmatrix.audio.waves import Samples

#: Times as long or as short, for its characters, as the sentences around it: voices differ by less.
_MAX_PACE = 2.5
#: Counted with the characters of every sentence, so that short ones may last a little longer.
_EXTRA_CHARACTERS = 8
_MAX_LEVEL_DB = 12.0
_MAX_GAP_SECONDS = 2.0


class SoundFacts(NamedTuple):
    """What is measured of a sentence."""

    seconds: float  # of speech, without its pauses
    level_dbfs: float  # -inf: it is silent
    gap_seconds: float  # the longest pause within


def measure(samples: Samples, rate_hz: int) -> SoundFacts:
    """Measure the speech of a sentence."""
    level, seconds = speech_level_dbfs(samples, rate_hz)
    frame = round(FRAME_SECONDS * rate_hz)
    whole = len(samples) - len(samples) % frame
    power = np.square(samples[:whole].astype(np.float64)).reshape(-1, frame).mean(axis=1)
    loud = np.flatnonzero(power > power.max(initial=0.0) * 10 ** (-GATE_DB / 10))
    gap = (np.diff(loud).max(initial=1) - 1) * FRAME_SECONDS
    return SoundFacts(seconds, level, float(gap))


def doubts(facts: Sequence[SoundFacts], characters: Sequence[int]) -> list[str]:
    """What is wrong with each sentence of many, given the characters of its words; "" if nothing is."""
    paces = [one.seconds / (count + _EXTRA_CHARACTERS) for one, count in zip(facts, characters, strict=True)]
    audible = [pace for pace in paces if pace > 0]
    levels = [one.level_dbfs for one in facts if np.isfinite(one.level_dbfs)]
    if not audible:
        return ["it is silent"] * len(facts)
    usual, level = float(np.median(audible)), float(np.median(levels))
    return [_doubt(one, pace / usual, one.level_dbfs - level) for one, pace in zip(facts, paces, strict=True)]


def _doubt(one: SoundFacts, pace: float, louder_db: float) -> str:
    if not np.isfinite(one.level_dbfs):
        return "it is silent"
    if not 1 / _MAX_PACE < pace < _MAX_PACE:
        return f"it lasts {one.seconds:.1f} s, {pace:.1f} times as long as others of its length"
    if abs(louder_db) > _MAX_LEVEL_DB:
        return f"it is {abs(louder_db):.0f} dB {'louder' if louder_db > 0 else 'quieter'} than others"
    if one.gap_seconds > _MAX_GAP_SECONDS:
        return f"it has a pause of {one.gap_seconds:.1f} s within"
    return ""
