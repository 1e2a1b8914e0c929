"""What preparing a folder of recordings gives: clips ready to be learned from, and what was wrong with the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.problem import Problem


@dataclass(frozen=True, kw_only=True)
class PrepareSettings:
    """Everything that decides what `prepare` makes of a folder."""

    quality: str
    language: str
    phoneme_type: str  # "espeak" or "text"
    cache: Path
    workers: int = 1
    max_seconds: float = 20.0
    profile: str | None = None
    prompt_list: str | None = None


@dataclass(frozen=True, kw_only=True)
class Clip:
    """One recording, ready: `path` is a `.npy` of int16 mono samples at the voice's rate, silence trimmed."""

    id: str
    speaker: str | None
    text: str
    ids: tuple[int, ...]  # Piper's: ^ _ p _ p _ $
    samples: int
    path: Path


@dataclass(frozen=True, kw_only=True)
class MeasuredRecording:
    """One recording as it was found, used or not: what the report shows of it. Zero where it could not be measured."""

    id: str
    place: str
    speaker: str | None
    text: str
    seconds: float  # of speech, silence trimmed
    characters: int  # letters and digits, numbers written out
    used: bool


@dataclass(frozen=True, kw_only=True)
class PreparedSet:
    """All clips of a folder in the order of their ids; `digest` changes when anything that is learned from does."""

    clips: tuple[Clip, ...]
    problems: tuple[Problem, ...]
    speakers: tuple[str, ...]  # sorted; empty for a voice of one speaker, whose clips then have none either
    quality: str
    rate_hz: int
    language: str
    phoneme_type: str
    id_map: Mapping[str, list[int]]
    digest: str
    measured: tuple[MeasuredRecording, ...] = ()

    @property
    def seconds(self) -> float:
        """The length of all clips together."""
        return sum(clip.samples for clip in self.clips) / self.rate_hz


class TooFewRecordingsError(BadInputError):
    """Too little is left to learn from; `prepared` has what is left, and every problem."""

    def __init__(self, problem: str, remedy: str, prepared: PreparedSet) -> None:
        super().__init__(problem, remedy)
        self.prepared = prepared
