"""What `prepare` says of a list's takes, and what only matters while one can still record again."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from voxmatrix.audio.reader_version import READER_VERSION
from voxmatrix.config import home
from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import PreparedSet, PrepareSettings, TooFewRecordingsError
from voxmatrix.errors import Finding
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
#: Raise it when the measurements change: they are then taken again.
_VERSION = 1
_RATE_HZ = 16_000
#: Peaks per take: enough for a waveform as wide as a line of a list.
PEAKS = 48
#: Frames of 20 ms, one every 10 ms, at each end, in which nobody should speak yet or still.
_EDGE_FRAMES = 3
#: The percentiles of the levels of all frames that stand for noise and speech, as in voxmatrix.audio.waves.
_NOISE, _SPEECH = 10, 95


class TakeMeasurement(NamedTuple):
    """One take. Levels are of 20 ms, but the peak, which is of single samples."""

    peak_dbfs: float
    speech_dbfs: float
    noise_dbfs: float
    first_dbfs: float  # the loudest of the first and of the last frames
    last_dbfs: float
    peaks: str  # of equal parts, a byte each in hexadecimal: 255 is full scale

    @property
    def heights(self) -> list[float]:
        """The peaks, in 0..1."""
        return [round(value / 255, 3) for value in bytes.fromhex(self.peaks)]


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


def measurements(cache: Path, paths: Iterable[Path]) -> Mapping[Path, TakeMeasurement]:
    """The measurements of files that `prepare` has read just before; none of those that it could not read."""
    by_name = {str(path): path for path in paths}
    with Cache(cache, measurement=TakeMeasurement) as kept:
        keys = {
            name: f"{_VERSION}.{READER_VERSION}:{sha256}" for name, (_, sha256) in kept.lookup_files(by_name).items()
        }
        found = kept.lookup(TakeMeasurement, keys.values())
        for name, key in keys.items():
            if key not in found and (made := _measured(by_name[name])) is not None:
                found[key] = made
                kept.store(key, made)
    return {by_name[name]: found[key] for name, key in keys.items() if key in found}


def _measured(path: Path) -> TakeMeasurement | None:
    import numpy as np

    from voxmatrix.audio import load, waves
    from voxmatrix.audio.checks import AudioError

    try:
        samples = load.read(path, _RATE_HZ).samples
    except AudioError:
        return None
    levels = waves.levels_dbfs(samples, _RATE_HZ)
    if not len(levels):
        return None
    noise, speech = np.percentile(levels, (_NOISE, _SPEECH))
    loudest = [float(np.abs(part).max(initial=0.0)) for part in np.array_split(samples, PEAKS)]
    return TakeMeasurement(
        peak_dbfs=round(float(20 * np.log10(max(*loudest, 1e-6))), 1),
        speech_dbfs=round(float(speech), 1),
        noise_dbfs=round(float(noise), 1),
        first_dbfs=round(float(levels[:_EDGE_FRAMES].max()), 1),
        last_dbfs=round(float(levels[-_EDGE_FRAMES:].max()), 1),
        peaks=bytes(min(255, round(255 * value)) for value in loudest).hex(),
    )
