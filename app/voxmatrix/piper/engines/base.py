"""The protocol of engines, which turn phoneme ids into samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import Samples

#: Samples that a network makes of a frame.
FRAME_SAMPLES = 256
#: Reads the frames of each id, one number for each, in any shape; None if the network does not tell.
Frames = Callable[[], NDArray[Any] | None]

#: Sentences of one text that are to be computed at once on a GPU, as far as it has so many.
PARALLEL = 32
#: Computes a segment of a sentence. Segments may be computed in parallel.
PendingSamples = Callable[[], Samples]


@dataclass(frozen=True, kw_only=True)
class SynthesisOptions:
    """How a sentence is spoken: inputs of the networks."""

    speaker: int = 0
    noise: float = 0.667
    length: float = 1.0
    noise_w: float = 0.8


@dataclass(frozen=True)
class Begun:
    """A sentence that is being computed. Its samples are those of its segments, concatenated."""

    segments: Sequence[PendingSamples]
    frames: Frames = lambda: None  # known once the segments are computed
    cancel: Callable[[], None] = lambda: None  # do not compute what has not begun

    def ends(self, hop: int) -> list[int] | None:
        """Where each id ends, in samples, of which a frame has `hop`; None if the network does not tell."""
        frames = self.frames()
        return None if frames is None else [int(end) * hop for end in np.cumsum(np.asarray(frames))]


def begun_whole(compute: Callable[[], tuple[Samples, Frames]]) -> Begun:
    """A sentence as one segment, which is computed together with its frames."""
    found: list[Frames] = []

    def segment() -> Samples:
        samples, frames = compute()
        found.append(frames)
        return samples

    return Begun([segment], lambda: found[-1]() if found else None)


class Engine(Protocol):
    """The loaded networks of a voice. Thread-safe."""

    @property
    def parallel(self) -> int:
        """Segments of sentences to be computed at once."""
        ...

    def begin(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> Begun:
        """Prepare a sentence.

        The same seed means the same random numbers, whatever was spoken before; None means any.
        """
        ...

    def prepare(self) -> None:
        """Get ready for many sentences: that takes time once, and less for each of them."""
        ...

    def close(self) -> None:
        """End its threads, if it has any."""
        ...
