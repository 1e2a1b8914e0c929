"""Rules that decide which recordings are usable for training. Pure functions, no I/O."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from voxmatrix.dataset.pace import paces
from voxmatrix.dataset.prepared import PrepareSettings
from voxmatrix.dataset.problems import problem_of, recording_of
from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.dataset.pronunciation import MAX_CHARACTERS
from voxmatrix.dataset.sound_checks import SILENT_DBFS, UNCLEAR, Usual, clipping, faults, pitch_ratio
from voxmatrix.tables.quality import SEGMENT_SAMPLES, quality, quality_with
from voxmatrix.transcripts.lines import Problem, ProblemKind
from voxmatrix.wording import quoted

#: A longer text is more than one sentence.
MAX_PHONEMES = 500
OTHER_SPEAKER_REMEDY = "listen to it; name its speaker in the table, or remove it"


def check_recordings(
    items: Sequence[ProcessedRecording], missing: Sequence[set[str]], settings: PrepareSettings
) -> list[Problem]:
    """All problems of these recordings. `missing`: for each recording, its phonemes without an id in the voice.

    Rules that compare recordings (same id, same sound, pace) apply to those without an error of their own.
    """
    problems = _speakers(items)
    for item, symbols in zip(items, missing, strict=True):
        problems += [*_of_sound(item, settings), *_of_text(item, symbols)]
    if settings.ears:
        from voxmatrix.dataset.text_checks import text_problems

        spoken = (item for item in items if item.spoken.characters)
        problems += [problem for item in spoken for problem in text_problems(item, settings.language)]
    for rule in (_same_ids, _same_sounds):
        problems += rule(usable(items, problems))
    by_speaker: dict[str | None, list[ProcessedRecording]] = defaultdict(list)
    for item in usable(items, problems):
        by_speaker[item.recording.speaker].append(item)
    for of_one in by_speaker.values():
        problems += _compared(of_one)
    return problems


def _compared(items: Sequence[ProcessedRecording]) -> list[Problem]:
    """Problems of the recordings of one speaker, compared with each other where that is right.

    Of a recording that is left out, nothing else matters.
    """
    usual = Usual.of([item.measures for item in items if item.measures])
    problems = [problem for item in items for problem in _heard_in(item, usual)]
    unclear = {problem.recording for problem in problems if problem.kind in UNCLEAR}
    lengths = paces(items, usual, unclear)
    wrong_rates = {problem.recording for problem in lengths if problem.kind == "wrong-rate"}
    for item in items:
        ratio = pitch_ratio(item.measures, usual) if item.measures else 1.0
        if ratio != 1.0 and recording_of(item) not in wrong_rates:
            how = "higher" if ratio > 1 else "lower"
            times = max(ratio, 1 / ratio)
            what = f"its voice is {times:.1f} times {how} than in the other recordings: another speaker?"
            problems.append(problem_of(item, "other-speaker", what, OTHER_SPEAKER_REMEDY))
    problems += lengths
    left_out = {problem.recording for problem in problems if problem.severity == "error"}
    return [one for one in problems if one.severity == "error" or one.recording not in left_out]


def _heard_in(item: ProcessedRecording, usual: Usual | None) -> Iterator[Problem]:
    """What is wrong with the sound of a recording, compared with what is usual."""
    if item.measures is None:
        return
    if (lone := item.measures.lone_channel) >= 0:
        what = f"only its channel {lone + 1} of {item.sound.channels} has speech; the noise of others is left out"
        yield problem_of(item, "one-channel", what, "record one channel, or check the cable of the other", "warning")
    dull = item.sound.source_rate_hz < item.sound.rate_hz  # it has been told
    for fault in faults(item.measures, usual):
        if not (dull and fault.kind == "narrow-band"):
            yield problem_of(item, *fault)


def usable(items: Sequence[ProcessedRecording], problems: Iterable[Problem]) -> list[ProcessedRecording]:
    """The recordings without an error."""
    left_out = {problem.recording for problem in problems if problem.severity == "error"}
    return [item for item in items if recording_of(item) not in left_out]


def _of_sound(item: ProcessedRecording, settings: PrepareSettings) -> Iterator[Problem]:
    sound, rate_hz = item.sound, quality(settings.quality).rate_hz
    if sound.fault:
        yield problem_of(item, sound.fault, sound.problem, sound.remedy)  # type: ignore[arg-type]
        return
    if sound.loudest_dbfs < SILENT_DBFS:
        what = f"it is silent: its loudest part is at {sound.loudest_dbfs:.0f} dBFS"
        yield problem_of(item, "silent", what, "check the microphone and record it again")
        return
    if sound.samples < SEGMENT_SAMPLES:
        minimum = SEGMENT_SAMPLES / rate_hz
        what = f"it has {sound.trimmed_seconds:.2f} s of speech; the minimum is one training segment, {minimum:.2f} s"
        yield problem_of(item, "too-short", what, "record a whole sentence")
    if sound.trimmed_seconds > settings.max_seconds:
        what = f"it has {sound.trimmed_seconds:.1f} s of speech; the limit is {settings.max_seconds:g} s"
        yield problem_of(item, "too-long", what, "split it into sentences, or raise `max_seconds` (uses more memory)")
    if fault := clipping(sound.clipped_fraction, item.measures.flat_tops if item.measures else 0):
        yield problem_of(item, *fault)
    if sound.source_rate_hz < rate_hz:
        what = f"its sample rate of {sound.source_rate_hz} Hz is below the voice's {rate_hz} Hz; it will sound dull"
        lower = quality_with(lambda row: row.rate_hz <= sound.source_rate_hz)
        remedy = "record at 44100 Hz" + (f", or choose `quality={lower}`" if lower else "")
        yield problem_of(item, "low-rate", what, remedy, "warning")


def _of_text(item: ProcessedRecording, missing: set[str]) -> Iterator[Problem]:
    text, spoken = item.recording.text, item.spoken
    split = "split the recording into sentences, each with its own text"
    if not text:
        yield problem_of(item, "empty-text", "its text is empty", "write the spoken text")
    elif len(text) > MAX_CHARACTERS:
        what = f"its text has {len(text)} characters; the limit is {MAX_CHARACTERS}"
        yield problem_of(item, "too-many-phonemes", what, split)
    elif spoken.problem or not any(phoneme.isalpha() for phoneme in spoken.phonemes):
        what = spoken.problem or f"nothing in the text {quoted(text)} can be pronounced"
        yield problem_of(item, "unpronounceable", what, spoken.remedy or "write it in words")
    elif len(spoken.phonemes) > MAX_PHONEMES:
        what = f"its text has {len(spoken.phonemes)} phonemes; the limit is {MAX_PHONEMES}"
        yield problem_of(item, "too-many-phonemes", what, split)
    if missing:
        shown = " ".join(sorted(missing)[:10])
        what = f"the voice has no symbols for these phonemes, which are left out: {shown}"
        yield problem_of(item, "unknown-symbols", what, "check the language (`language`) and the text", "warning")


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
            yield problem_of(item, kind, problem, "keep the right one and remove the other")


def _speakers(items: Sequence[ProcessedRecording]) -> list[Problem]:
    if not any(item.recording.speaker for item in items):
        return []
    what, remedy = "it has no speaker, but other recordings do", "add the speaker to its line"
    return [problem_of(item, "no-speaker", what, remedy) for item in items if not item.recording.speaker]
