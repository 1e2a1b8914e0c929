"""What turns ids into samples, whichever library does it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from voxmatrix.audio.samples import Samples

#: A part of a sentence that is still to be computed; parts may be computed side by side.
PendingSamples = Callable[[], Samples]


@dataclass(frozen=True, kw_only=True)
class SynthesisOptions:
    """How one sentence is spoken, in the terms of the networks."""

    speaker: int = 0
    noise: float = 0.667
    length: float = 1.0
    noise_w: float = 0.8


class Engine(Protocol):
    """A voice's networks, loaded."""

    def begin(self, ids: Sequence[int], options: SynthesisOptions) -> list[PendingSamples]:
        """Do what must be done first for a sentence; the parts that come back, joined in order, are its samples."""
        ...

    def reseed(self, seed: int) -> None:
        """From the next sentence on, speak as a voice does that was just opened with this seed."""
        ...
