"""The parts of a voice in ONNX, as they are computed and kept."""

from dataclasses import dataclass
from pathlib import Path

from voxmatrix.audio.waves import Samples
from voxmatrix.piper.onnx.receptive_field import ReceptiveField

#: The input with standard normal numbers: (length,), of any length above zero.
NOISE = "voxmatrix.noise"
#: Between the places of two tensors of noise in it: that of the durations, (b, 2, t), and that of the frames.
NOISE_APART = 10_007
#: Numbers of noise for each id: enough for 2.7 frames (usual are two), so that a sentence has no noise twice unless it
#: is spoken very slowly.
NOISE_PER_ID = 512
#: The same, if only durations are drawn: one for each id, or two.
DURATION_NOISE_PER_ID = 2


@dataclass(frozen=True)
class ModelPart:
    """A part of a model. onnxruntime loads large weights from a file in the folder `weights`."""

    model: bytes | None  # None: the file of the voice as it is
    inputs: frozenset[str]
    output: str
    weights: Path
    frames: str = ""  # also an output: the number of frames of each id; "": not in this part
    noise_per_id: int = NOISE_PER_ID  # numbers that it is given of it


@dataclass(frozen=True)
class SplitModel:
    """Both halves of a model, and the receptive field of the second."""

    first: ModelPart
    second: ModelPart
    boundary: str  # the tensor between the halves: (1, channels, positions)
    as_conv2d: bool  # the second half takes it as (1, channels, 1, positions), which is faster, and the first does not
    uses_conv2d: bool  # all convolutions of the second half are two-dimensional
    has_int8: bool  # those of the decoder are computed with 8-bit integers
    inputs: frozenset[str]  # of the whole model
    receptive_field: ReceptiveField
    is_rewritten: bool = False  # the first half has fewer operations, or there is nothing to rewrite

    @property
    def is_fast(self) -> bool:
        """Whether it is a fast voice, which is written with 2-D convolutions."""
        return self.uses_conv2d and not self.as_conv2d

    def as_second_input(self, boundary: Samples) -> Samples:
        """The boundary, or a part of it, as the second half takes it."""
        return boundary[..., None, :] if self.as_conv2d else boundary
