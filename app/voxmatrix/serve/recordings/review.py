"""What `prepare` says of a list's takes, and how they look and how loud they are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
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

#: The quality that most voices have; takes below its sample rate are told apart.
_QUALITY = "medium"
#: Raise it when the measurements change: they are then taken again.
_VERSION = 2
_RATE_HZ = 16_000
#: Peaks per take: enough for a waveform as wide as a line of a list.
PEAKS = 48


class TakeMeasurement(NamedTuple):
    """One take. The peak is of single samples, the levels are those of `Measures`."""

    peak_dbfs: float
    speech_dbfs: float
    noise_dbfs: float
    peaks: str  # of equal parts, a byte each in hexadecimal: 255 is full scale

    @property
    def heights(self) -> list[float]:
        """The peaks, in 0..1."""
        return [round(value / 255, 3) for value in bytes.fromhex(self.peaks)]


@dataclass(frozen=True, kw_only=True)
class Remark(Finding):
    """A finding about a take. `kind` is one of `ProblemKind`."""

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
        takes[number] = Take(
            seconds=facts[path].seconds if path in facts else 0.0,
            usable=path in facts and facts[path].used,
            remarks=tuple(problems[path.stem]),
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

    from voxmatrix.audio import load
    from voxmatrix.audio.checks import AudioError
    from voxmatrix.audio.measures.measure import measure

    try:
        samples = load.read(path, _RATE_HZ).samples
    except AudioError:
        return None
    found = measure(samples, _RATE_HZ)
    loudest = [float(np.abs(part).max(initial=0.0)) for part in np.array_split(samples, PEAKS)]
    return TakeMeasurement(
        peak_dbfs=round(float(20 * np.log10(max(*loudest, 1e-6))), 1),
        speech_dbfs=found.speech_dbfs,
        noise_dbfs=found.noise_dbfs,
        peaks=bytes(min(255, round(255 * value)) for value in loudest).hex(),
    )
