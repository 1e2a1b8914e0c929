"""What `prepare` says of a list's takes, and what only matters while one can still record again."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import PreparedSet, PrepareSettings, TooFewRecordingsError
from voxmatrix.errors import Finding
from voxmatrix.serve.recordings.measure import TakeMeasurement, measurements
from voxmatrix.serve.recordings.prompt_list import PromptList
from voxmatrix.text.phonemes.espeak import espeak_version

#: Quieter speech is drowned by the noise of most sound cards.
QUIET_DBFS = -38.0
#: Noise that is closer than this to the speech is learned as part of the voice.
NOISY_DB = 25.0
#: Speech this close to the loud parts at either end was cut off.
CUT_DB = 15.0
#: The quality that most voices have; takes below its sample rate are told apart.
_QUALITY = "medium"


@dataclass(frozen=True, kw_only=True)
class Remark(Finding):
    """A finding about a take. `kind` is one of `ProblemKind`, or quiet, noisy or cut-off."""

    kind: str


@dataclass(frozen=True, kw_only=True)
class Take:
    """One recording. `usable`: whether `prepare` keeps it."""

    seconds: float  # of speech, silence at both ends trimmed
    usable: bool
    remarks: tuple[Remark, ...]
    measured: TakeMeasurement | None  # None: it cannot be read


@dataclass(frozen=True, kw_only=True)
class Review:
    """The takes of a list by number, and the seconds of usable speech in all of them."""

    takes: Mapping[int, Take]
    seconds: float


def phoneme_type() -> str:
    """How texts become phonemes, as `--phonemes auto` decides it."""
    return "espeak" if espeak_version() else "text"


def review(found: PromptList) -> Review:
    """Judge all takes of a list. What was judged before comes from the cache of `prepare`.

    Raises:
        UnreachableError: the cache cannot be written.
    """
    numbers = found.recorded()
    if not numbers:
        return Review(takes={}, seconds=0.0)
    prepared = _prepared(found)
    paths = {number: found.sound_path(number) for number in numbers}
    measured = measurements(home() / "cache", paths.values())
    facts = {Path(item.path): item for item in prepared.measured}
    problems: dict[str, list[Remark]] = defaultdict(list)
    for problem in prepared.problems:
        problems[problem.id].append(
            Remark(kind=problem.kind, problem=problem.problem, remedy=problem.remedy, severity=problem.severity)
        )
    takes = {}
    for number, path in paths.items():
        remarks = problems[path.stem]
        if path in measured and not any(remark.severity == "error" for remark in remarks):
            remarks += _of_level(measured[path])
        takes[number] = Take(
            seconds=facts[path].seconds if path in facts else 0.0,
            usable=path in facts and facts[path].used,
            remarks=tuple(remarks),
            measured=measured.get(path),
        )
    return Review(takes=takes, seconds=prepared.seconds)


def _prepared(found: PromptList) -> PreparedSet:
    settings = PrepareSettings(
        quality=_QUALITY, language=found.language, phoneme_type=phoneme_type(), cache=home() / "cache"
    )
    try:
        return prepare(found.folder, settings)
    except TooFewRecordingsError as error:  # the first take
        return error.prepared


def _of_level(measured: TakeMeasurement) -> Iterator[Remark]:
    speech, noise = measured.speech_dbfs, measured.noise_dbfs
    if speech < QUIET_DBFS:
        what = f"its speech is quiet: {speech:.0f} dBFS"
        yield Remark(kind="quiet", problem=what, remedy="raise the recording level, or move closer", severity="warning")
    if speech - noise < NOISY_DB:
        what = f"its noise is only {speech - noise:.0f} dB below the speech; the voice would learn it"
        remedy = "move closer to the microphone, and turn off anything that hums"
        yield Remark(kind="noisy", problem=what, remedy=remedy, severity="warning")
        return  # what stands at the ends may then be noise
    ends = {"beginning": measured.first_dbfs, "end": measured.last_dbfs}
    for end in (end for end, level in ends.items() if level > speech - CUT_DB):
        remedy = "leave a moment of silence there"
        yield Remark(kind="cut-off", problem=f"its {end} is cut off", remedy=remedy, severity="warning")
