"""Which recordings can be learned from: pure rules over what is known of each, and over all of them together."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from voxmatrix.dataset.prepared import PrepareSettings
from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.dataset.pronunciation import MAX_CHARACTERS
from voxmatrix.errors import Severity
from voxmatrix.tables.quality import HOP, SEGMENT_SAMPLES, quality
from voxmatrix.transcripts.problem import Problem, ProblemKind

#: The loudest 20 ms of a recording with speech in it lie above this.
SILENT_DBFS = -60.0
#: So much of a recording at full scale is heard (warning), and so much spoils the voice (error).
CLIPPED_WARNING = 0.0002
CLIPPED_ERROR = 0.01
#: Nobody speaks faster or slower than this for a whole sentence, in any script.
FASTEST_PER_SECOND = 45.0
SLOWEST_PER_SECOND = 1.0
#: A single short word may be drawn out longer.
SLOW_SECONDS = 2.5
#: Short sentences vary more: each is judged as if so many characters at the usual pace came with it.
GRACE_CHARACTERS = 6
#: A text of more is not one sentence.
MOST_PHONEMES = 500
#: So many recordings are needed to know what is usual; beyond so many deviations, and this factor, is not.
ENOUGH_FOR_USUAL = 8
DEVIATIONS = 5.0
LEAST_DEVIATION = 0.15
#: The median absolute deviation of a normal distribution, times this, is its standard deviation.
_MAD_TO_SIGMA = 1.4826


def check_recordings(
    made: Sequence[ProcessedRecording], missing: Sequence[set[str]], settings: PrepareSettings
) -> list[Problem]:
    """Every problem of these recordings. `missing`: for each, the phonemes that the voice's table lacks.

    What is said of several together (same id, same sound, usual pace) is asked of those that are good by themselves.
    """
    problems = _speakers(made)
    for one, lacks in zip(made, missing, strict=True):
        problems += [*_of_sound(one, settings), *_of_text(one, lacks)]
    for rule in (_same_ids, _same_sounds, _paces):
        problems += rule(usable(made, problems))
    return problems


def usable(made: Sequence[ProcessedRecording], problems: Iterable[Problem]) -> list[ProcessedRecording]:
    """The recordings without an error."""
    left_out = {(problem.place, problem.path) for problem in problems if problem.severity == "error"}
    return [one for one in made if (one.recording.line, str(one.recording.path)) not in left_out]


def _of_sound(made: ProcessedRecording, settings: PrepareSettings) -> Iterator[Problem]:
    sound, rate_hz = made.sound, quality(settings.quality).rate_hz
    if sound.fault:
        yield _problem(made, sound.fault, sound.problem, sound.remedy)  # type: ignore[arg-type]
        return
    if sound.loudest_dbfs < SILENT_DBFS:
        what = f"it is silent: its loudest part is at {sound.loudest_dbfs:.0f} dBFS"
        yield _problem(made, "silent", what, "check the microphone, and record it again")
        return
    if sound.samples < SEGMENT_SAMPLES:
        least = SEGMENT_SAMPLES / rate_hz
        what = f"{sound.trimmed_seconds:.2f} s of speech; a training segment takes {least:.2f} s"
        yield _problem(made, "too-short", what, "record a whole sentence")
    if sound.trimmed_seconds > settings.max_seconds:
        what = f"{sound.trimmed_seconds:.1f} s of speech; the longest that is used is {settings.max_seconds:g} s"
        yield _problem(made, "too-long", what, "cut it into sentences, or raise --max-seconds (memory grows with it)")
    if sound.clipped_fraction >= CLIPPED_WARNING:
        bad = sound.clipped_fraction >= CLIPPED_ERROR
        what = f"{sound.clipped_fraction:.2%} of its samples are clipped at full scale"
        remedy = "lower the recording level, and record it again"
        yield _problem(made, "clipped", what, remedy, "error" if bad else "warning")
    if sound.source_rate_hz < rate_hz:
        what = f"recorded at {sound.source_rate_hz} Hz, below the voice's {rate_hz} Hz; it is upsampled and stays dull"
        yield _problem(made, "low-rate", what, "record at 44100 Hz, or train a quality of a lower rate", "warning")


def _of_text(made: ProcessedRecording, missing: set[str]) -> Iterator[Problem]:
    text, spoken = made.recording.text, made.spoken
    if not text:
        yield _problem(made, "empty-text", "its text is empty", "write what is said")
    elif len(text) > MAX_CHARACTERS:
        what = f"its text has {len(text)} characters; {MAX_CHARACTERS} is the most that is read"
        yield _problem(made, "too-many-phonemes", what, "cut the recording into sentences, each with its own text")
    elif spoken.problem or not any(phoneme.isalpha() for phoneme in spoken.phonemes):
        what = spoken.problem or f"nothing in the text {_shown(text)} can be pronounced"
        yield _problem(made, "unpronounceable", what, spoken.remedy or "write it in words")
    elif len(spoken.phonemes) > MOST_PHONEMES:
        what = f"its text has {len(spoken.phonemes)} phonemes; the most that is used is {MOST_PHONEMES}"
        yield _problem(made, "too-many-phonemes", what, "cut the recording into sentences, each with its own text")
    if missing:
        shown = " ".join(sorted(missing)[:10])
        what = f"the voice's table has no symbol for: {shown}; they are left out"
        yield _problem(made, "unknown-symbols", what, "check the language (--language) and the text", "warning")


def _same_ids(made: Sequence[ProcessedRecording]) -> list[Problem]:
    return list(_duplicates(made, "duplicate-id", "the same id", lambda one: one.recording.id))


def _same_sounds(made: Sequence[ProcessedRecording]) -> list[Problem]:
    return list(_duplicates(made, "duplicate-audio", "the same sound", lambda one: one.sha256))


def _duplicates(
    made: Sequence[ProcessedRecording], kind: ProblemKind, what: str, key: Callable[[ProcessedRecording], str]
) -> Iterator[Problem]:
    """All but the first of those that are the same; all of them when their texts differ, since one must be wrong."""
    same: dict[str, list[ProcessedRecording]] = defaultdict(list)
    for one in made:
        same[key(one)].append(one)
    for group in same.values():
        differ = len({one.recording.text for one in group}) > 1
        ending = ", and another text: which of them is right cannot be known" if differ else ""
        for one in group if differ else group[1:]:
            other = (group[0] if one is not group[0] else group[1]).recording
            problem = f"it has {what} as {other.id} ({other.line}){ending}"
            yield _problem(one, kind, problem, "keep the right one, and remove the other")


def _speakers(made: Sequence[ProcessedRecording]) -> list[Problem]:
    if not any(one.recording.speaker for one in made):
        return []
    what, remedy = "it names no speaker, and others do", "name the speaker in its line"
    return [_problem(one, "no-speaker", what, remedy) for one in made if not one.recording.speaker]


def _paces(made: Sequence[ProcessedRecording]) -> list[Problem]:
    """Transcripts whose length does not fit: by what any human can say, and by what these recordings usually have."""
    if not made:
        return []
    usual = _median(map(pace, made))
    logs = [math.log(_graceful(one, usual)) for one in made]
    middle = _median(logs)
    deviation = max(LEAST_DEVIATION, _MAD_TO_SIGMA * _median(abs(log - middle) for log in logs))
    problems = []
    for one, log in zip(made, logs, strict=True):
        far = len(made) >= ENOUGH_FOR_USUAL and abs(log - middle) > DEVIATIONS * deviation
        if far or _is_impossible(one):
            against = f"; {usual:.0f} are usual here" if far else ""
            seconds = one.sound.trimmed_seconds
            what = f"{one.spoken.characters} characters in {seconds:.2f} s are {pace(one):.1f} a second{against}"
            remedy = "check that the text is what is said, all of it, and no more"
            problems.append(_problem(one, "text-does-not-fit", what, remedy))
    return problems


def _median(values: Iterable[float]) -> float:
    """The middle one; of an even number the upper of both. (Importing `statistics` takes longer than all of this.)"""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def _is_impossible(made: ProcessedRecording) -> bool:
    too_slow = pace(made) < SLOWEST_PER_SECOND and made.sound.trimmed_seconds > SLOW_SECONDS
    return too_slow or pace(made) > FASTEST_PER_SECOND or _ids(made) > made.sound.samples // HOP


def _ids(made: ProcessedRecording) -> int:
    """How many ids the text takes: `^ _ p _ p _ $`. Each needs a frame of its own, or no alignment exists."""
    return 2 * len(made.spoken.phonemes) + 3


def pace(made: ProcessedRecording) -> float:
    """Characters a second."""
    return made.spoken.characters / made.sound.trimmed_seconds if made.sound.samples else 0.0


def _graceful(made: ProcessedRecording, usual: float) -> float:
    return (made.spoken.characters + GRACE_CHARACTERS) / (made.sound.trimmed_seconds + GRACE_CHARACTERS / usual)


def _problem(
    made: ProcessedRecording, kind: ProblemKind, problem: str, remedy: str, severity: Severity = "error"
) -> Problem:
    recording = made.recording
    return Problem(
        id=recording.id,
        kind=kind,
        path=str(recording.path),
        place=recording.line,
        problem=problem,
        remedy=remedy,
        severity=severity,
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
