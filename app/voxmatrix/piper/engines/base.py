"""The protocol of engines, which turn phoneme ids into samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from voxmatrix.audio.waves import Samples

#: Computes a segment of a sentence. Segments may be computed in parallel.
PendingSamples = Callable[[], Samples]


@dataclass(frozen=True, kw_only=True)
class SynthesisOptions:
    """How a sentence is spoken: inputs of the networks."""

    speaker: int = 0
    noise: float = 0.667
    length: float = 1.0
    noise_w: float = 0.8


class Engine(Protocol):
    """The loaded networks of a voice."""

    def begin(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> list[PendingSamples]:
        """Prepare a sentence. The samples of the returned segments, concatenated, are those of the sentence.

        The same seed means the same random numbers, whatever was spoken before; None means any.
        """
        ...

    def prepare(self) -> None:
        """Get ready for many sentences: that takes time once, and less for each of them."""
        ...
