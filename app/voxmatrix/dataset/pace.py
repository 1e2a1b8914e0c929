"""Whether the length of a recording can be that of its text, by the pace of the others."""

import math
from collections.abc import Collection, Sequence

from voxmatrix.dataset.problems import problem_of, recording_of
from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.dataset.sound_checks import MAD_TO_SIGMA, MIN_COMPARED, Usual, median, pitch_ratio
from voxmatrix.tables.quality import HOP, quality_with
from voxmatrix.transcripts.lines import Problem

#: Limits in characters per second that no speaker exceeds over a whole sentence, in any script.
FASTEST_PER_SECOND = 45.0
SLOWEST_PER_SECOND = 1.0
#: Recordings up to this long may be slower: a single short word can be drawn out.
SLOW_SECONDS = 2.5
#: Short sentences vary more: the pace is computed with this many sounds at the median pace added.
GRACE_SOUNDS = 8
#: An outlier is more than so many standard deviations (of at least the last one) from the median of the logarithms:
#: used with a warning, and left out. Sentences that lack 40 % of their words, or have six too many, are beyond 4.
WARNING_DEVIATIONS, DEVIATIONS = 4.0, 5.0
_MIN_DEVIATION = 0.08
#: Of characters in the whole recording, where it was not measured how long somebody speaks.
_MIN_DEVIATION_OF_CHARACTERS = 0.15
#: A recording at another sample rate is as many times as high as it is fast, within this factor.
_SAME_RATIO = 1.25
_CHECK_TEXT = "check that the text is complete and contains only what is spoken"


def paces(
    items: Sequence[ProcessedRecording], usual: Usual | None, unclear: Collection[tuple[str, str]] = ()
) -> list[Problem]:
    """Problems of texts too long or too short for their recording: impossible to speak, or far from the median.

    `usual`: what these recordings, of one speaker, sound like. Those that are `unclear` are not compared.
    """
    measured = all(item.measures for item in items)
    rates = [_rate(item, measured) for item in items]
    if not rates:
        return []
    # Of most of what is spoken, not of most recordings: those may be single words, which are spoken slowly.
    weights = [_amount(item, measured)[0] for item in items]
    middle = _weighted_median(rates, weights)
    logs = [math.log(_smoothed(item, middle, measured) / middle) if middle else 0.0 for item in items]
    centre = _weighted_median(logs, weights)
    least = _MIN_DEVIATION if measured else _MIN_DEVIATION_OF_CHARACTERS
    deviation = max(least, MAD_TO_SIGMA * median(abs(log - centre) for log in logs))
    problems = []
    for item, log in zip(items, logs, strict=True):
        compared = middle > 0 and len(items) >= MIN_COMPARED and recording_of(item) not in unclear
        far = abs(log - centre) / deviation if compared else 0.0
        ratio = pitch_ratio(item.measures, usual) if item.measures and middle else 1.0
        if ratio != 1.0 and 1 / _SAME_RATIO < _rate(item, measured) / middle / ratio < _SAME_RATIO:
            problems.append(_wrong_rate(item, ratio))
        elif far > DEVIATIONS or _is_impossible(item):
            problems.append(_unlikely(item, middle if far > DEVIATIONS else 0.0, measured))
        elif _id_count(item) > item.sound.samples // HOP:
            problems.append(_too_dense(item))
        elif far > WARNING_DEVIATIONS and measured:
            problems.append(_unlikely(item, middle, measured, certain=False))
    return problems


def pace(item: ProcessedRecording) -> float:
    """Characters per second."""
    return item.spoken.characters / item.sound.trimmed_seconds if item.sound.samples else 0.0


def _amount(item: ProcessedRecording, measured: bool) -> tuple[int, float]:
    """How much is to be spoken, and the seconds: sounds in those of speech, or characters in all of them."""
    if measured and item.measures:
        return sum(map(str.isalpha, item.spoken.phonemes)), item.measures.active_seconds
    return item.spoken.characters, item.sound.trimmed_seconds


def _rate(item: ProcessedRecording, measured: bool) -> float:
    count, seconds = _amount(item, measured)
    return count / seconds if seconds > 0 else 0.0


def _smoothed(item: ProcessedRecording, middle: float, measured: bool) -> float:
    count, seconds = _amount(item, measured)
    return (count + GRACE_SOUNDS) / (seconds + GRACE_SOUNDS / middle)


def _weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """The value up to which half of the weight is."""
    ordered, half = sorted(zip(values, weights, strict=True)), sum(weights) / 2
    for value, weight in ordered:
        half -= weight
        if half < 0:
            return value
    return ordered[-1][0]


def _unlikely(item: ProcessedRecording, middle: float, measured: bool, *, certain: bool = True) -> Problem:
    count, seconds = _amount(item, measured)
    if middle:
        what = f"its text takes about {count / middle:.1f} s at the usual pace here, and {seconds:.1f} s are spoken"
    else:
        what = (
            f"{item.spoken.characters} characters in {item.sound.trimmed_seconds:.2f} s are {pace(item):.1f} per second"
        )
    return problem_of(item, "text-does-not-fit", what, _CHECK_TEXT, "error" if certain else "warning")


def _wrong_rate(item: ProcessedRecording, ratio: float) -> Problem:
    """The problem of a recording that is as many times as high as it is fast: its header has another sample rate."""
    rate = item.sound.source_rate_hz
    how = "high and fast" if ratio > 1 else "low and slow"
    times = max(ratio, 1 / ratio)
    what = f"it is {times:.1f} times as {how} as the others: its sample rate of {rate} Hz is wrong"
    remedy = f"set it to about {rate / ratio:.0f} Hz, or export it again"
    return problem_of(item, "wrong-rate", what, remedy)


def _too_dense(item: ProcessedRecording) -> Problem:
    """The problem of a text whose ids are more than the frames of its sound: it may fit at a higher sample rate."""
    ids, sound = _id_count(item), item.sound
    what = (
        f"its {len(item.spoken.phonemes)} phonemes need {ids} frames of sound; "
        f"{sound.trimmed_seconds:.2f} s at {sound.rate_hz} Hz have {sound.samples // HOP}"
    )
    finer = quality_with(lambda row: sound.trimmed_seconds * row.rate_hz >= ids * HOP)
    choose = f"choose `quality={finer}`, whose frames are shorter, or " if finer else ""
    return problem_of(item, "text-does-not-fit", what, choose + _CHECK_TEXT)


def _is_impossible(item: ProcessedRecording) -> bool:
    too_slow = pace(item) < SLOWEST_PER_SECOND and item.sound.trimmed_seconds > SLOW_SECONDS
    return too_slow or pace(item) > FASTEST_PER_SECOND


def _id_count(item: ProcessedRecording) -> int:
    """The number of ids of the text: `^ _ p _ p _ $`. Alignment needs at least one frame for each."""
    return 2 * len(item.spoken.phonemes) + 3
