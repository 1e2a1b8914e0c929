"""Rules that decide which recordings are usable for training. Pure functions, no I/O."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from voxmatrix.dataset.prepared import PrepareSettings
from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.dataset.pronunciation import MAX_CHARACTERS
from voxmatrix.errors import Severity
from voxmatrix.tables.quality import HOP, SEGMENT_SAMPLES, quality, quality_with
from voxmatrix.transcripts.lines import Problem, ProblemKind
from voxmatrix.wording import quoted

#: A recording whose loudest 20 ms are below this is silent.
SILENT_DBFS = -60.0
#: Fractions of clipped samples: audible (warning), and harmful to the voice (error).
CLIPPED_WARNING = 0.0002
CLIPPED_ERROR = 0.01
#: Limits in characters per second that no speaker exceeds over a whole sentence, in any script.
FASTEST_PER_SECOND = 45.0
SLOWEST_PER_SECOND = 1.0
#: Recordings up to this long may be slower: a single short word can be drawn out.
SLOW_SECONDS = 2.5
#: Short sentences vary more: the pace is computed with this many characters at the median pace added.
GRACE_CHARACTERS = 6
#: A longer text is more than one sentence.
MAX_PHONEMES = 500
#: Outliers in pace are searched for from this many recordings on. An outlier is more than DEVIATIONS standard
#: deviations (of at least MIN_DEVIATION) from the median of the logarithms.
MIN_RECORDINGS_FOR_OUTLIERS = 8
DEVIATIONS = 5.0
MIN_DEVIATION = 0.15
#: Ratio of standard deviation to median absolute deviation in a normal distribution.
_MAD_TO_SIGMA = 1.4826


def check_recordings(
    items: Sequence[ProcessedRecording], missing: Sequence[set[str]], settings: PrepareSettings
) -> list[Problem]:
    """All problems of these recordings. `missing`: for each recording, its phonemes without an id in the voice.

    Rules that compare recordings (same id, same sound, pace) apply to those without an error of their own.
    """
    problems = _speakers(items)
    for item, symbols in zip(items, missing, strict=True):
        problems += [*_of_sound(item, settings), *_of_text(item, symbols)]
    for rule in (_same_ids, _same_sounds, _paces):
        problems += rule(usable(items, problems))
    return problems


def usable(items: Sequence[ProcessedRecording], problems: Iterable[Problem]) -> list[ProcessedRecording]:
    """The recordings without an error."""
    left_out = {(problem.place, problem.path) for problem in problems if problem.severity == "error"}
    return [item for item in items if (item.recording.line, str(item.recording.path)) not in left_out]


def _of_sound(item: ProcessedRecording, settings: PrepareSettings) -> Iterator[Problem]:
    sound, rate_hz = item.sound, quality(settings.quality).rate_hz
    if sound.fault:
        yield _problem(item, sound.fault, sound.problem, sound.remedy)  # type: ignore[arg-type]
        return
    if sound.loudest_dbfs < SILENT_DBFS:
        what = f"it is silent: its loudest part is at {sound.loudest_dbfs:.0f} dBFS"
        yield _problem(item, "silent", what, "check the microphone and record it again")
        return
    if sound.samples < SEGMENT_SAMPLES:
        minimum = SEGMENT_SAMPLES / rate_hz
        what = f"it has {sound.trimmed_seconds:.2f} s of speech; the minimum is one training segment, {minimum:.2f} s"
        yield _problem(item, "too-short", what, "record a whole sentence")
    if sound.trimmed_seconds > settings.max_seconds:
        what = f"it has {sound.trimmed_seconds:.1f} s of speech; the limit is {settings.max_seconds:g} s"
        yield _problem(item, "too-long", what, "split it into sentences, or raise `max_seconds` (uses more memory)")
    if sound.clipped_fraction >= CLIPPED_WARNING:
        bad = sound.clipped_fraction >= CLIPPED_ERROR
        what = f"{sound.clipped_fraction:.2%} of its samples are clipped at full scale"
        remedy = "lower the recording level and record it again"
        yield _problem(item, "clipped", what, remedy, "error" if bad else "warning")
    if sound.source_rate_hz < rate_hz:
        what = f"its sample rate of {sound.source_rate_hz} Hz is below the voice's {rate_hz} Hz; it will sound dull"
        lower = quality_with(lambda row: row.rate_hz <= sound.source_rate_hz)
        remedy = "record at 44100 Hz" + (f", or choose `quality={lower}`" if lower else "")
        yield _problem(item, "low-rate", what, remedy, "warning")


def _of_text(item: ProcessedRecording, missing: set[str]) -> Iterator[Problem]:
    text, spoken = item.recording.text, item.spoken
    split = "split the recording into sentences, each with its own text"
    if not text:
        yield _problem(item, "empty-text", "its text is empty", "write the spoken text")
    elif len(text) > MAX_CHARACTERS:
        what = f"its text has {len(text)} characters; the limit is {MAX_CHARACTERS}"
        yield _problem(item, "too-many-phonemes", what, split)
    elif spoken.problem or not any(phoneme.isalpha() for phoneme in spoken.phonemes):
        what = spoken.problem or f"nothing in the text {quoted(text)} can be pronounced"
        yield _problem(item, "unpronounceable", what, spoken.remedy or "write it in words")
    elif len(spoken.phonemes) > MAX_PHONEMES:
        what = f"its text has {len(spoken.phonemes)} phonemes; the limit is {MAX_PHONEMES}"
        yield _problem(item, "too-many-phonemes", what, split)
    if missing:
        shown = " ".join(sorted(missing)[:10])
        what = f"the voice has no symbols for these phonemes, which are left out: {shown}"
        yield _problem(item, "unknown-symbols", what, "check the language (`language`) and the text", "warning")


def _same_ids(items: Sequence[ProcessedRecording]) -> list[Problem]:
    return list(_duplicates(items, "duplicate-id", "id", lambda item: item.recording.id))


def _same_sounds(items: Sequence[ProcessedRecording]) -> list[Problem]:
    return list(_duplicates(items, "duplicate-audio", "sound", lambda item: item.sha256))


def _duplicates(
    items: Sequence[ProcessedRecording], kind: ProblemKind, what: str, key: Callable[[ProcessedRecording], str]
) -> Iterator[Problem]:
    """A problem for all but the first of each group of duplicates; for all of them when their texts differ."""
    groups: dict[str, list[ProcessedRecording]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    for group in groups.values():
        differ = len({item.recording.text for item in group}) > 1
        difference = " but another text; which one is right is unknown" if differ else ""
        for item in group if differ else group[1:]:
            other = (group[0] if item is not group[0] else group[1]).recording
            problem = f"it has the same {what} as {other.id} ({other.line}){difference}"
            yield _problem(item, kind, problem, "keep the right one and remove the other")


def _speakers(items: Sequence[ProcessedRecording]) -> list[Problem]:
    if not any(item.recording.speaker for item in items):
        return []
    what, remedy = "it has no speaker, but other recordings do", "add the speaker to its line"
    return [_problem(item, "no-speaker", what, remedy) for item in items if not item.recording.speaker]


def _paces(items: Sequence[ProcessedRecording]) -> list[Problem]:
    """Problems of texts too long or too short for their recording: impossible to speak, or far from the median."""
    if not items:
        return []
    median = _median(map(pace, items))
    logs = [math.log(_smoothed_pace(item, median)) for item in items]
    middle = _median(logs)
    deviation = max(MIN_DEVIATION, _MAD_TO_SIGMA * _median(abs(log - middle) for log in logs))
    problems = []
    for item, log in zip(items, logs, strict=True):
        is_outlier = len(items) >= MIN_RECORDINGS_FOR_OUTLIERS and abs(log - middle) > DEVIATIONS * deviation
        if is_outlier or _is_impossible(item):
            comparison = f"; the median here is {median:.0f}" if is_outlier else ""
            seconds, rate = item.sound.trimmed_seconds, pace(item)
            what = f"{item.spoken.characters} characters in {seconds:.2f} s are {rate:.1f} per second{comparison}"
            problems.append(_problem(item, "text-does-not-fit", what, _CHECK_TEXT))
        elif _id_count(item) > item.sound.samples // HOP:
            problems.append(_too_dense(item))
    return problems


_CHECK_TEXT = "check that the text is complete and contains only what is spoken"


def _too_dense(item: ProcessedRecording) -> Problem:
    """The problem of a text whose ids are more than the frames of its sound: it may fit at a higher sample rate."""
    ids, sound = _id_count(item), item.sound
    what = (
        f"its {len(item.spoken.phonemes)} phonemes need {ids} frames of sound; "
        f"{sound.trimmed_seconds:.2f} s at {sound.rate_hz} Hz have {sound.samples // HOP}"
    )
    finer = quality_with(lambda row: sound.trimmed_seconds * row.rate_hz >= ids * HOP)
    choose = f"choose `quality={finer}`, whose frames are shorter, or " if finer else ""
    return _problem(item, "text-does-not-fit", what, choose + _CHECK_TEXT)


def _median(values: Iterable[float]) -> float:
    """The median; of an even number of values, the upper middle one. (Importing `statistics` would take longer.)"""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def _is_impossible(item: ProcessedRecording) -> bool:
    too_slow = pace(item) < SLOWEST_PER_SECOND and item.sound.trimmed_seconds > SLOW_SECONDS
    return too_slow or pace(item) > FASTEST_PER_SECOND


def _id_count(item: ProcessedRecording) -> int:
    """The number of ids of the text: `^ _ p _ p _ $`. Alignment needs at least one frame for each."""
    return 2 * len(item.spoken.phonemes) + 3


def pace(item: ProcessedRecording) -> float:
    """Characters per second."""
    return item.spoken.characters / item.sound.trimmed_seconds if item.sound.samples else 0.0


def _smoothed_pace(item: ProcessedRecording, median: float) -> float:
    return (item.spoken.characters + GRACE_CHARACTERS) / (item.sound.trimmed_seconds + GRACE_CHARACTERS / median)


def _problem(
    item: ProcessedRecording, kind: ProblemKind, problem: str, remedy: str, severity: Severity = "error"
) -> Problem:
    recording = item.recording
    return Problem(
        id=recording.id,
        kind=kind,
        path=str(recording.path),
        place=recording.line,
        problem=problem,
        remedy=remedy,
        severity=severity,
    )
