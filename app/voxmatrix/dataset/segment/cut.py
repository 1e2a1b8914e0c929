"""Where a long recording is cut: in its pauses, into clips of 2 to 12 seconds. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Probabilities of speech and levels are those of steps of this length.
STEP_SECONDS = 0.032
MIN_SECONDS, MAX_SECONDS = 2.0, 12.0
#: Speech begins above the one and ends below the other (silero's own defaults).
_BEGINS, _ENDS = 0.5, 0.35
#: Steps of a pause in which to cut; of a shorter one, only where somebody does not pause for MAX_SECONDS.
_PAUSE_STEPS, _SHORT_PAUSE_STEPS = 6, 4
#: A clip has no longer pause within.
_MAX_PAUSE_SECONDS = 1.0
#: Silence kept around the speech of a clip, where there is so much.
_MARGIN_SECONDS = 0.3
#: A step farther from the middle of a pause has to be so much quieter.
_DB_FROM_MIDDLE = 1.0
#: Cuts prefer long pauses, and lengths that are neither short nor long.
_GOOD_SECONDS, _GOOD_PAUSE_SECONDS = 7.0, 0.6
#: Leaving out a second of speech costs more than any place of a cut.
_COST_OF_LOSS = 100.0
#: Sound without speech is music or noise above this level, compared to the speech, and silence below.
_SILENCE_DB = 35.0
#: Music under words fills the pauses between them: one that is not so far below the words, although most pauses of the
#: recording are so much lower. The noise of a room is the same in all pauses. In synthetic speech, pauses are at least
#: 40 dB below the words; music 25 dB below leaves 23 to 30, and 30 dB below 27 to 34.
_BED_DB = 35.0
#: Of the pauses, so many are lower than what is taken for the silence of the recording: there may be as much music.
_LOWER_PERCENT = 33
#: Of the clips, music is under so many at most. More are what a noise gate does, or two rooms.
_MOST_BEDDED = 0.4
#: A noise between the words may be louder than the silence around them by the background alone (breath).
_BURST_DB = 12.0
_BURST_STEPS = 6
#: A noise over the words: so many steps as flat as that, and not so much quieter than the words. In 11 minutes of
#: speech, 25 dB above white noise or 15 above pink noise, no 11 steps in a row are; in noise as loud as speech, most.
_FLAT_DB, _FLAT_BELOW_DB, _FLAT_STEPS = -8.5, 15.0, 11
#: Silero takes the first notes of music for speech, so long at most: the sound then goes on without being any.
_ONSET_STEPS = 8
#: Silero hears a word begin so late, if it is that loud compared to the words behind it.
_LATE_STEPS, _LATE_DB = 8, 25.0
_FLOOR_STEPS = 3


class Part(NamedTuple):
    """A part of a recording, in seconds."""

    start: float
    end: float


@dataclass(frozen=True)
class Cut:
    """What a recording becomes: clips to be heard, and parts that are left out with a word for the reason."""

    clips: list[Part]
    left_out: list[tuple[Part, str]]


def cut(
    probabilities: NDArray[np.float32],
    levels_dbfs: NDArray[np.float32],
    flatness_db: NDArray[np.float32],
    seconds: float,
    min_snr_db: float,
) -> Cut:
    """The clips of a recording of `seconds`, given the probability of speech, the level and the flatness of each step.

    `flatness_db`: how much of the spectrum is noise, 0 dB at most; a vowel has -20. `min_snr_db`: the silence at both
    ends of a clip must be so far below its speech.
    """
    speech = _is_speech(probabilities, levels_dbfs)
    runs = _runs(speech, _PAUSE_STEPS)
    short = [part for run in runs for part in _shortened(run, speech)]
    groups, lost = _grouped(short)
    loud = _level(levels_dbfs[speech]) if speech.any() else -np.inf
    bounds = [_behind_noise(speech, levels_dbfs, *bound, min_snr_db) for bound in _bounds(short, levels_dbfs)]
    pauses = {(first, last): _pauses(speech, levels_dbfs, bounds[first][0], bounds[last][1]) for first, last in groups}
    least = _least_pause(list(pauses.values()), min_snr_db)
    clips: list[Part] = []
    left_out: list[tuple[Part, str]] = []
    for first, last in groups:
        start, end = bounds[first][0], bounds[last][1]
        part = Part(start * STEP_SECONDS, min(end * STEP_SECONDS, seconds))
        if (
            min(pauses[first, last], default=np.inf) < least
            or _interrupted(speech, levels_dbfs, start, end)
            or _covered(
                speech[start:end], levels_dbfs[start:end], flatness_db[start:end], min(_FLAT_BELOW_DB, min_snr_db)
            )
        ):
            left_out.append((part, "noise"))
        else:
            clips.append(part)
    for number in lost:
        start, end = bounds[number]
        part = Part(start * STEP_SECONDS, min(end * STEP_SECONDS, seconds))
        in_noise = min(_pauses(speech, levels_dbfs, start, end), default=np.inf) < least
        without_pause = "noise" if in_noise else "no-pause"
        left_out.append((part, "too-short" if part.end - part.start < MAX_SECONDS else without_pause))
    for gap in _gaps([*clips, *(part for part, _ in left_out)], seconds):
        inside = levels_dbfs[round(gap.start / STEP_SECONDS) : max(round(gap.end / STEP_SECONDS), 1)]
        quiet = not len(inside) or _level(inside) < (loud if np.isfinite(loud) else 0.0) - _SILENCE_DB
        left_out.append((gap, "silence" if quiet else "no-speech"))
    return Cut(clips, sorted(left_out))


def _is_speech(probabilities: NDArray[np.float32], levels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The steps of speech: from where it is likely to where it is unlikely."""
    found = np.zeros(len(probabilities), bool)
    speaking = False
    for number, probability in enumerate(probabilities.tolist()):
        speaking = probability >= (_ENDS if speaking else _BEGINS)
        found[number] = speaking
    for start, end in _runs(found, 1):
        before = start
        while before > max(0, start - _LATE_STEPS) and levels[before - 1] > _level(levels[start:end]) - _LATE_DB:
            before -= 1
        found[before:start] = True
    for start, end in _runs(found, 1):
        following = levels[end : end + _BURST_STEPS]
        is_short = end - start <= _ONSET_STEPS and len(following) == _BURST_STEPS
        if is_short and following.min() > _level(levels[start:end]) - _BURST_DB:
            found[start:end] = False
    return found


def _runs(speech: NDArray[np.bool_], pause: int, offset: int = 0) -> list[tuple[int, int]]:
    """Speech between pauses of at least so many steps."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], speech.view(np.int8), [0]))))
    runs: list[tuple[int, int]] = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if runs and start + offset - runs[-1][1] < pause:
            runs[-1] = (runs[-1][0], end + offset)
        else:
            runs.append((start + offset, end + offset))
    return runs


def _shortened(run: tuple[int, int], speech: NDArray[np.bool_]) -> list[tuple[int, int]]:
    if (run[1] - run[0]) * STEP_SECONDS <= MAX_SECONDS - 2 * _MARGIN_SECONDS:
        return [run]
    return _runs(speech[slice(*run)], _SHORT_PAUSE_STEPS, run[0])


def _bounds(runs: Sequence[tuple[int, int]], levels: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Where a clip begins and ends that begins or ends with each run: in the quietest step of the pause."""
    margin = round(_MARGIN_SECONDS / STEP_SECONDS)
    pauses = [(end, start) for (_, end), (start, _) in pairwise(runs)]
    places = [0, *(_quietest(levels, before, after) for before, after in pauses), len(levels)]
    return [
        (max(start - margin, places[number]), min(end + margin, places[number + 1]))
        for number, (start, end) in enumerate(runs)
    ]


def _quietest(levels: NDArray[np.float32], start: int, end: int) -> int:
    """The step of a pause in which to cut: quiet, and not close to the words."""
    inner = _smooth(levels[start + 1 : end - 1])
    from_middle = np.abs(np.arange(len(inner)) - (len(inner) - 1) / 2)
    return start + 1 + int(np.argmin(inner + _DB_FROM_MIDDLE * from_middle))


def _grouped(runs: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], list[int]]:
    """The first and the last run of each clip, and the runs of none: the least speech lost, then the best cuts."""
    best = [0.0]
    choice: list[int | None] = []  # the first run of the clip that ends here; None: this run is left out
    for last, (start, end) in enumerate(runs):
        cost: float = best[last] + _COST_OF_LOSS * (end - start) * STEP_SECONDS
        chosen: int | None = None
        for first in range(last, -1, -1):
            seconds = (end - runs[first][0]) * STEP_SECONDS + 2 * _MARGIN_SECONDS
            if seconds > MAX_SECONDS or (first < last and _pause(runs, first) > _MAX_PAUSE_SECONDS):
                break
            if seconds < MIN_SECONDS:
                continue
            with_it = best[first] + _cost(seconds, _pause(runs, last))
            if with_it < cost:
                cost, chosen = with_it, first
        best.append(cost)
        choice.append(chosen)
    groups, lost, last = [], [], len(runs) - 1
    while last >= 0:
        begin = choice[last]
        if begin is None:
            lost.append(last)
            last -= 1
        else:
            groups.append((begin, last))
            last = begin - 1
    return groups[::-1], lost[::-1]


def _pause(runs: Sequence[tuple[int, int]], number: int) -> float:
    """The seconds of silence behind a run."""
    return (runs[number + 1][0] - runs[number][1]) * STEP_SECONDS if number + 1 < len(runs) else np.inf


def _cost(seconds: float, pause: float) -> float:
    return (seconds / _GOOD_SECONDS - 1) ** 2 + max(0.0, 1 - pause / _GOOD_PAUSE_SECONDS)


def _behind_noise(
    speech: NDArray[np.bool_], levels: NDArray[np.float32], start: int, end: int, min_snr_db: float
) -> tuple[int, int]:
    """The bounds of a clip without what is loud before the silence at its ends, e.g. the end of music."""
    inner = start + np.flatnonzero(speech[start:end])
    first, last = int(inner[0]), int(inner[-1]) + 1
    above = levels - _level(levels[inner])
    return first - _silent_end(above[start:first], min_snr_db), last + _silent_end(above[last:end][::-1], min_snr_db)


def _silent_end(levels: NDArray[np.float32], min_snr_db: float) -> int:
    """How many of the steps before a word, given compared to it, are behind what is as loud as a noise in a pause."""
    for loud in map(int, np.flatnonzero(levels > -_BURST_DB)[::-1]):
        if (levels[loud + 1 :] < -min_snr_db).sum() >= _FLOOR_STEPS:
            return len(levels) - loud - 1
    return len(levels)


def _pauses(speech: NDArray[np.bool_], levels: NDArray[np.float32], start: int, end: int) -> list[float]:
    """How far the silence at both ends of a clip and in its pauses is below its speech, in dB.

    A recording that begins with a word, or ends with one, has been cut so by somebody else.
    """
    inner = start + np.flatnonzero(speech[start:end])
    first, last = int(inner[0]), int(inner[-1]) + 1
    parts = [(start, first)] if start else []
    parts += [part for part in _runs(~speech[first:last], 1, first) if part[1] - part[0] >= _PAUSE_STEPS]
    parts += [(last, end)] if end < len(levels) else []
    loud = _level(levels[inner])
    return [loud - float(_smooth(levels[before:after]).min()) for before, after in parts if after > before]


def _least_pause(pauses: Sequence[Sequence[float]], min_snr_db: float) -> float:
    """How far pauses must be below the speech, given those of all clips."""
    lowest = [min(some) for some in pauses if some]
    every = [pause for some in pauses for pause in some]
    usual = float(np.percentile(every, 100 - _LOWER_PERCENT)) if every else 0.0
    least = max(min_snr_db, min(_BED_DB, usual - _BURST_DB))
    kept, bedded = (sum(pause >= limit for pause in lowest) for limit in (min_snr_db, least))
    return least if kept - bedded <= kept * _MOST_BEDDED else min_snr_db


def _interrupted(speech: NDArray[np.bool_], levels: NDArray[np.float32], start: int, end: int) -> bool:
    """Whether something else than speech is loud between the words of a clip."""
    inner = start + np.flatnonzero(speech[start:end])
    loud = _level(levels[inner])
    return any(
        loud - float(_smooth(levels[first + 1 : last - 1], _BURST_STEPS).max()) < _BURST_DB
        for first, last in _runs(~speech[start:end], 1, start)
        if last - first >= _BURST_STEPS
    )


def _covered(
    speech: NDArray[np.bool_], levels: NDArray[np.float32], flatness: NDArray[np.float32], below_db: float
) -> bool:
    """Whether a noise covers words of a clip: no word is that long without a vowel."""
    flat = (flatness > _FLAT_DB) & (levels > _level(levels[speech]) - below_db)
    return any(last - first >= _FLAT_STEPS for first, last in _runs(flat, 1))


def _level(levels: NDArray[np.float32]) -> float:
    """The mean power of levels, in dB."""
    return float(10 * np.log10(np.mean(10 ** (levels.astype(np.float64) / 10))))


def _smooth(levels: NDArray[np.float32], steps: int = _FLOOR_STEPS) -> NDArray[np.float64]:
    """The mean level around each step."""
    steps = min(steps, len(levels))
    padded = np.pad(levels.astype(np.float64), ((steps - 1) // 2, steps // 2), mode="edge")
    return np.convolve(padded, np.full(steps, 1 / steps), "valid")


def _gaps(parts: Sequence[Part], seconds: float) -> Iterator[Part]:
    """What is between parts that do not overlap."""
    place = 0.0
    for part in sorted(parts):
        if part.start > place:
            yield Part(place, part.start)
        place = max(place, part.end)
    if seconds > place:
        yield Part(place, seconds)
