"""A recording of a request that a voice imitates, and what a voice wants of one."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from voxmatrix.audio.waves import Samples

#: Whether a voice reads the words of the recording that it imitates.
TranscriptUse = Literal["none", "optional", "required"]


@dataclass(frozen=True, kw_only=True)
class Cloning:
    """The recordings that a voice imitates instead of its own."""

    seconds: tuple[float, float]  # the least that it needs, and the most that it uses
    transcript: TranscriptUse = "none"


class Reference(NamedTuple):
    """A recording to imitate."""

    sha256: str  # of its samples
    samples: Samples  # mono
    rate_hz: int
    transcript: str = ""
