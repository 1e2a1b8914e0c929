"""The settings and the result of preparing a folder of recordings."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.lines import Problem

#: The automatic limit of a recording's duration.
MAX_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class PrepareSettings:
    """The settings of `prepare`."""

    quality: str
    language: str
    phoneme_type: str  # "espeak" or "text"
    cache: Path
    workers: int = 1
    max_seconds: float = MAX_SECONDS
    profile: str | None = None
    prompt_list: str | None = None
    ears: bool = True  # whether it is measured what each recording sounds like, and its text is looked at


@dataclass(frozen=True, kw_only=True)
class Clip:
    """A recording ready for training. `path`: a `.npy` of int16 mono samples at the voice's rate, silence trimmed."""

    id: str
    speaker: str | None
    text: str
    ids: tuple[int, ...]  # as in Piper: ^ _ p _ p _ $
    samples: int
    path: Path


@dataclass(frozen=True, kw_only=True)
class MeasuredRecording:
    """A recording, used or not, as shown in the report. Values that could not be measured are zero."""

    id: str
    place: str
    path: str
    speaker: str | None
    text: str
    seconds: float  # of speech, silence trimmed
    characters: int  # letters and digits after text normalisation
    used: bool


@dataclass(frozen=True, kw_only=True)
class PreparedSet:
    """All clips of a folder, ordered by id; `digest` identifies the texts and sounds, whatever their phonemes."""

    clips: tuple[Clip, ...]
    problems: tuple[Problem, ...]
    speakers: tuple[str, ...]  # sorted; empty for a single speaker, whose clips then have no speaker either
    quality: str
    rate_hz: int
    language: str
    phoneme_type: str
    id_map: Mapping[str, list[int]]
    digest: str
    measured: tuple[MeasuredRecording, ...] = ()

    @property
    def seconds(self) -> float:
        """Total duration of the clips."""
        return sum(clip.samples for clip in self.clips) / self.rate_hz

    @property
    def left_out(self) -> frozenset[tuple[str, str]]:
        """What identifies each unusable recording, bad line, and text without a recording."""
        return frozenset(problem.recording for problem in self.problems if problem.severity == "error")


class TooFewRecordingsError(BadInputError):
    """Too few recordings are usable; `prepared` has these and all problems."""

    def __init__(self, problem: str, remedy: str, prepared: PreparedSet) -> None:
        super().__init__(problem, remedy)
        self.prepared = prepared
