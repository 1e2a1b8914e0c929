"""Where a long recording is cut: in its pauses, into clips of 2 to 12 seconds. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voxmatrix.dataset.segment.noise import (
    BURST_DB,
    BURST_STEPS,
    FLOOR_STEPS,
    PAUSE_STEPS,
    SHORT_PAUSE_STEPS,
    STEP_SECONDS,
    level,
    noisy,
    pauses,
    runs,
    smooth,
)

MIN_SECONDS, MAX_SECONDS = 2.0, 12.0
#: Speech begins above the one and ends below the other (silero's own defaults).
_BEGINS, _ENDS = 0.5, 0.35
#: A clip has no longer pause within.
_MAX_PAUSE_SECONDS = 1.0
#: Silence kept around the speech of a clip, where there is so much.
MARGIN_SECONDS = 0.3
#: A step farther from the middle of a pause has to be so much quieter.
_DB_FROM_MIDDLE = 1.0
#: Cuts prefer long pauses, and lengths that are neither short nor long.
_GOOD_SECONDS, _GOOD_PAUSE_SECONDS = 7.0, 0.6
#: Leaving out a second of speech costs more than any place of a cut.
_COST_OF_LOSS = 100.0
#: Sound without speech is music or noise above this level, compared to the speech, and silence below.
_SILENCE_DB = 35.0
#: Silero takes the first notes of music for speech, so long at most: the sound then goes on without being any.
_ONSET_STEPS = 8
#: Silero hears a word begin so late, if it is that loud compared to the words behind it.
_LATE_STEPS, _LATE_DB = 8, 25.0


class Part(NamedTuple):
    """A part of a recording, in seconds."""

    start: float
    end: float


@dataclass(frozen=True)
class Cut:
    """What a recording becomes: clips to be heard, and parts that are left out with a word for the reason."""

    clips: list[Part]
    left_out: list[tuple[Part, str]]
    texts: list[tuple[int, str]] = field(default_factory=list)  # of labels: how many clips each is read in, in order


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
    speech = is_speech(probabilities, levels_dbfs)
    short = [part for run in runs(speech, PAUSE_STEPS) for part in _shortened(run, speech)]
    groups, lost = _grouped(short)
    loud = level(levels_dbfs[speech]) if speech.any() else -np.inf
    bounds = [behind_noise(speech, levels_dbfs, *bound, min_snr_db) for bound in bounds_of(short, levels_dbfs)]
    spans = [(bounds[first][0], bounds[last][1]) for first, last in groups]
    in_noise, least = noisy(spans, speech, levels_dbfs, flatness_db, min_snr_db)
    clips: list[Part] = []
    left_out: list[tuple[Part, str]] = []
    for span, is_noisy in zip(spans, in_noise, strict=True):
        if is_noisy:
            left_out.append((part_of(span, seconds), "noise"))
        else:
            clips.append(part_of(span, seconds))
    for number in lost:
        start, end = bounds[number]
        part = part_of((start, end), seconds)
        hidden = min(pauses(speech, levels_dbfs, start, end), default=np.inf) < least
        without_pause = "noise" if hidden else "no-pause"
        left_out.append((part, "too-short" if part.end - part.start < MAX_SECONDS else without_pause))
    left_out += others(clips, left_out, levels_dbfs, loud, seconds)
    return Cut(clips, sorted(left_out))


def part_of(span: tuple[int, int], seconds: float) -> Part:
    """A span of steps in seconds."""
    return Part(span[0] * STEP_SECONDS, min(span[1] * STEP_SECONDS, seconds))


def others(
    clips: Sequence[Part],
    left_out: Sequence[tuple[Part, str]],
    levels: NDArray[np.float32],
    loud: float,
    seconds: float,
) -> list[tuple[Part, str]]:
    """What is between the clips and what was left out of speech as loud as that."""
    found = []
    for gap in _gaps([*clips, *(part for part, _ in left_out)], seconds):
        inside = levels[round(gap.start / STEP_SECONDS) : max(round(gap.end / STEP_SECONDS), 1)]
        quiet = not len(inside) or level(inside) < (loud if np.isfinite(loud) else 0.0) - _SILENCE_DB
        found.append((gap, "silence" if quiet else "no-speech"))
    return found


def is_speech(probabilities: NDArray[np.float32], levels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The steps of speech: from where it is likely to where it is unlikely."""
    found = np.zeros(len(probabilities), bool)
    speaking = False
    for number, probability in enumerate(probabilities.tolist()):
        speaking = probability >= (_ENDS if speaking else _BEGINS)
        found[number] = speaking
    for start, end in runs(found, 1):
        before = start
        while before > max(0, start - _LATE_STEPS) and levels[before - 1] > level(levels[start:end]) - _LATE_DB:
            before -= 1
        found[before:start] = True
    for start, end in runs(found, 1):
        following = levels[end : end + BURST_STEPS]
        is_short = end - start <= _ONSET_STEPS and len(following) == BURST_STEPS
        if is_short and following.min() > level(levels[start:end]) - BURST_DB:
            found[start:end] = False
    return found


def _shortened(run: tuple[int, int], speech: NDArray[np.bool_]) -> list[tuple[int, int]]:
    if (run[1] - run[0]) * STEP_SECONDS <= MAX_SECONDS - 2 * MARGIN_SECONDS:
        return [run]
    return runs(speech[slice(*run)], SHORT_PAUSE_STEPS, run[0])


def bounds_of(spoken: Sequence[tuple[int, int]], levels: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Where a clip begins and ends that begins or ends with each run: in the quietest step of the pause."""
    margin = round(MARGIN_SECONDS / STEP_SECONDS)
    between = [(end, start) for (_, end), (start, _) in pairwise(spoken)]
    places = [0, *(_quietest(levels, before, after) for before, after in between), len(levels)]
    return [
        (max(start - margin, places[number]), min(end + margin, places[number + 1]))
        for number, (start, end) in enumerate(spoken)
    ]


def _quietest(levels: NDArray[np.float32], start: int, end: int) -> int:
    """The step of a pause in which to cut: quiet, and not close to the words."""
    if end - start < FLOOR_STEPS:  # labels that touch or overlap
        return (start + end) // 2
    inner = smooth(levels[start + 1 : end - 1])
    from_middle = np.abs(np.arange(len(inner)) - (len(inner) - 1) / 2)
    return start + 1 + int(np.argmin(inner + _DB_FROM_MIDDLE * from_middle))


def _grouped(spoken: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], list[int]]:
    """The first and the last run of each clip, and the runs of none: the least speech lost, then the best cuts."""
    best = [0.0]
    choice: list[int | None] = []  # the first run of the clip that ends here; None: this run is left out
    for last, (start, end) in enumerate(spoken):
        cost: float = best[last] + _COST_OF_LOSS * (end - start) * STEP_SECONDS
        chosen: int | None = None
        for first in range(last, -1, -1):
            seconds = (end - spoken[first][0]) * STEP_SECONDS + 2 * MARGIN_SECONDS
            if seconds > MAX_SECONDS or (first < last and _pause(spoken, first) > _MAX_PAUSE_SECONDS):
                break
            if seconds < MIN_SECONDS:
                continue
            with_it = best[first] + _cost(seconds, _pause(spoken, last))
            if with_it < cost:
                cost, chosen = with_it, first
        best.append(cost)
        choice.append(chosen)
    groups, lost, last = [], [], len(spoken) - 1
    while last >= 0:
        begin = choice[last]
        if begin is None:
            lost.append(last)
            last -= 1
        else:
            groups.append((begin, last))
            last = begin - 1
    return groups[::-1], lost[::-1]


def _pause(spoken: Sequence[tuple[int, int]], number: int) -> float:
    """The seconds of silence behind a run."""
    return (spoken[number + 1][0] - spoken[number][1]) * STEP_SECONDS if number + 1 < len(spoken) else np.inf


def _cost(seconds: float, pause: float) -> float:
    return (seconds / _GOOD_SECONDS - 1) ** 2 + max(0.0, 1 - pause / _GOOD_PAUSE_SECONDS)


def behind_noise(
    speech: NDArray[np.bool_], levels: NDArray[np.float32], start: int, end: int, min_snr_db: float
) -> tuple[int, int]:
    """The bounds of a clip without what is loud before the silence at its ends, e.g. the end of music."""
    inner = start + np.flatnonzero(speech[start:end])
    first, last = int(inner[0]), int(inner[-1]) + 1
    above = levels - level(levels[inner])
    return first - _silent_end(above[start:first], min_snr_db), last + _silent_end(above[last:end][::-1], min_snr_db)


def _silent_end(levels: NDArray[np.float32], min_snr_db: float) -> int:
    """How many of the steps before a word, given compared to it, are behind what is as loud as a noise in a pause."""
    for loud in map(int, np.flatnonzero(levels > -BURST_DB)[::-1]):
        if (levels[loud + 1 :] < -min_snr_db).sum() >= FLOOR_STEPS:
            return len(levels) - loud - 1
    return len(levels)


def _gaps(parts: Sequence[Part], seconds: float) -> Iterator[Part]:
    """What is between parts that do not overlap."""
    place = 0.0
    for part in sorted(parts):
        if part.start > place:
            yield Part(place, part.start)
        place = max(place, part.end)
    if seconds > place:
        yield Part(place, seconds)
