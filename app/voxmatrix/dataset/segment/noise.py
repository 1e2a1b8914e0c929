"""Whether there is music or noise behind the words of a part of a recording, or between them. Pure."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: Probabilities of speech and levels are those of steps of this length.
STEP_SECONDS = 0.032
#: Steps of a pause in which to cut; of a shorter one, only where somebody does not pause for MAX_SECONDS.
PAUSE_STEPS, SHORT_PAUSE_STEPS = 6, 4
#: Music under words fills the pauses between them: one that is not so far below the words, although most pauses of the
#: recording are so much lower. The noise of a room is the same in all pauses. In synthetic speech, pauses are at least
#: 40 dB below the words; music 25 dB below leaves 23 to 30, and 30 dB below 27 to 34.
_BED_DB = 35.0
#: Of the pauses, so many are lower than what is taken for the silence of the recording: there may be as much music.
_LOWER_PERCENT = 33
#: Of the clips, music is under so many at most. More are what a noise gate does, or two rooms.
_MOST_BEDDED = 0.4
#: A noise between the words may be louder than the silence around them by the background alone (breath).
BURST_DB = 12.0
BURST_STEPS = 6
#: A noise over the words: so many steps as flat as that, and not so much quieter than the words. In 11 minutes of
#: speech, 25 dB above white noise or 15 above pink noise, no 11 steps in a row are; in noise as loud as speech, most.
_FLAT_DB, _FLAT_BELOW_DB, _FLAT_STEPS = -8.5, 15.0, 11
FLOOR_STEPS = 3


def noisy(
    spans: Sequence[tuple[int, int]],
    speech: NDArray[np.bool_],
    levels: NDArray[np.float32],
    flatness: NDArray[np.float32],
    min_snr_db: float,
) -> tuple[list[bool], float]:
    """Whether there is music or noise in each span of steps; and how far pauses must be below the speech."""
    silences = [pauses(speech, levels, start, end) for start, end in spans]
    least = _least_pause(silences, min_snr_db)
    below_db = min(_FLAT_BELOW_DB, min_snr_db)
    in_noise = [
        min(some, default=np.inf) < least
        or _interrupted(speech, levels, start, end)
        or _covered(speech[start:end], levels[start:end], flatness[start:end], below_db)
        for some, (start, end) in zip(silences, spans, strict=True)
    ]
    return in_noise, least


def pauses(speech: NDArray[np.bool_], levels: NDArray[np.float32], start: int, end: int) -> list[float]:
    """How far the silence at both ends of a clip and in its pauses is below its speech, in dB.

    A recording that begins with a word, or ends with one, has been cut so by somebody else.
    """
    inner = start + np.flatnonzero(speech[start:end])
    first, last = int(inner[0]), int(inner[-1]) + 1
    parts = [(start, first)] if start else []
    parts += [part for part in runs(~speech[first:last], 1, first) if part[1] - part[0] >= PAUSE_STEPS]
    parts += [(last, end)] if end < len(levels) else []
    loud = level(levels[inner])
    return [loud - float(smooth(levels[before:after]).min()) for before, after in parts if after > before]


def _least_pause(silences: Sequence[Sequence[float]], min_snr_db: float) -> float:
    """How far pauses must be below the speech, given those of all clips."""
    lowest = [min(some) for some in silences if some]
    every = [pause for some in silences for pause in some]
    usual = float(np.percentile(every, 100 - _LOWER_PERCENT)) if every else 0.0
    least = max(min_snr_db, min(_BED_DB, usual - BURST_DB))
    kept, bedded = (sum(pause >= limit for pause in lowest) for limit in (min_snr_db, least))
    return least if kept - bedded <= kept * _MOST_BEDDED else min_snr_db


def _interrupted(speech: NDArray[np.bool_], levels: NDArray[np.float32], start: int, end: int) -> bool:
    """Whether something else than speech is loud between the words of a clip."""
    inner = start + np.flatnonzero(speech[start:end])
    loud = level(levels[inner])
    return any(
        loud - float(smooth(levels[first + 1 : last - 1], BURST_STEPS).max()) < BURST_DB
        for first, last in runs(~speech[start:end], 1, start)
        if last - first >= BURST_STEPS
    )


def _covered(
    speech: NDArray[np.bool_], levels: NDArray[np.float32], flatness: NDArray[np.float32], below_db: float
) -> bool:
    """Whether a noise covers words of a clip: no word is that long without a vowel."""
    flat = (flatness > _FLAT_DB) & (levels > level(levels[speech]) - below_db)
    return any(last - first >= _FLAT_STEPS for first, last in runs(flat, 1))


def runs(speech: NDArray[np.bool_], pause: int, offset: int = 0) -> list[tuple[int, int]]:
    """Speech between pauses of at least so many steps."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], speech.view(np.int8), [0]))))
    found: list[tuple[int, int]] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if found and start + offset - found[-1][1] < pause:
            found[-1] = (found[-1][0], end + offset)
        else:
            found.append((start + offset, end + offset))
    return found


def level(levels: NDArray[np.float32]) -> float:
    """The mean power of levels, in dB."""
    return float(10 * np.log10(np.mean(10 ** (levels.astype(np.float64) / 10))))


def smooth(levels: NDArray[np.float32], steps: int = FLOOR_STEPS) -> NDArray[np.float64]:
    """The mean level around each step."""
    steps = min(steps, len(levels))
    padded = np.pad(levels.astype(np.float64), ((steps - 1) // 2, steps // 2), mode="edge")
    return np.convolve(padded, np.full(steps, 1 / steps), "valid")
