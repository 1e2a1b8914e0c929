"""The halves of a voice for many sentences: they take longer to open, and less time for each sentence."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from voxmatrix.audio.samples import Samples
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.networks import Network, all_inputs, on_cpu, voice_errors
from voxmatrix.piper.engines.openvino import STEP_SAMPLES, Bf16Session, computes_bf16
from voxmatrix.piper.engines.session import open_session
from voxmatrix.piper.onnx.model_split import SplitModel

if TYPE_CHECKING:
    from voxmatrix.piper.onnx.frames_split import FramesSplit

#: A faster network is tried on a sentence of so many ids.
_TRIED_IDS = 24
#: How far its output may be from that of the given one, as a part of it: rounding makes 1e-5, and bfloat16 0.03.
_ROUNDING, _BF16 = 1e-3, 0.1
#: Of the last convolution of a voice whose second half gains by bfloat16. `tiny` and `fast_x_low` would gain 2 % of
#: their time, and need 50 MiB more.
_MIN_LAST = 32
#: Of the flow of a fast voice whose first half gains by it. Other voices would gain 8 %, and need 100 MiB more for each
#: thread: the convolutions of their decoder need fewer multiplications in float32.
_MIN_FLOW = 192
#: Frames are computed in bfloat16 in multiples of so many: kernels for a new number of them take 25 ms to compile.
_STEP_FRAMES = 64


class _TextThenFrames:
    """The session of a first half: its text in float32, which decides about the rhythm, and its frames in bfloat16.

    If its decoder has 8-bit integers, that is a session of its own.
    """

    def __init__(self, path: Path, parts: "FramesSplit") -> None:
        self._text, self._frames = open_session(path, parts.text), Bf16Session(parts.frames)
        self._decoder = on_cpu(path, parts.decoder, optimised=True) if parts.decoder else None
        self._parts = parts

    def run(self, _: Sequence[str], inputs: Mapping[str, Any]) -> Sequence[Samples]:
        """The only output for the inputs of a sentence."""
        between = self._parts.between
        given = dict(zip(between, self._text.run(between, inputs), strict=True))
        timed = between[:2]
        frames = given[timed[0]].shape[-1]
        more = -frames % _STEP_FRAMES
        for name in timed:
            given[name] = np.pad(given[name], ((0, 0), (0, 0), (0, more)))
        (made,) = self._frames.run([self._parts.made], given)
        made = made[..., : made.shape[-1] // (frames + more) * frames]
        return [self._decoder.run({**given, self._parts.made: made}) if self._decoder else made]


def faster_first(path: Path, split: SplitModel) -> Network:
    """The first half with other nodes, that of a fast voice with its frames in bfloat16 where the CPU has it."""
    from voxmatrix.piper.onnx.frames_split import split_frames
    from voxmatrix.piper.onnx.minimal_filtering import with_fewer_operations

    part = with_fewer_operations(split.first, path)
    parts = split_frames(part or split.first, path, _MIN_FLOW) if split.is_fast and computes_bf16() else None
    if part is None and parts is None:
        return on_cpu(path, split.first, optimised=True)
    given, inputs = on_cpu(path, split.first), _tried()
    if parts is not None:
        with _unfit(path):
            network = given._replace(session=_TextThenFrames(path, parts))
            if _near(network.run(inputs), given.run(inputs), _BF16):
                return network
    if part is not None:
        with _unfit(path):
            network = on_cpu(path, part, optimised=True)
            if _near(network.run(inputs), given.run(inputs), _ROUNDING):
                return network
    return given


def faster_second(path: Path, split: SplitModel, first: Network, least: int) -> Network:
    """The second half with faster last layers if it has them, and in bfloat16 where that pays."""
    from voxmatrix.piper.onnx.last_convolution import PHASES, with_phases

    fits = split.has_planes and not split.receptive_field.hop % PHASES
    part = (with_phases(split.second, path) if fits else None) or split.second
    given = on_cpu(path, part, least, optimised=split.has_planes)
    pays = isinstance(first.session, _TextThenFrames) or _channels_at_the_end(split) >= _MIN_LAST
    if pays and not split.has_int8 and computes_bf16():
        with _unfit(path):
            return _in_bf16(path, split, first, given) or given
    return given


def _channels_at_the_end(split: SplitModel) -> int:
    """Of the convolution that makes the samples; 0 if another layer does."""
    import onnx

    graph = onnx.ModelProto.FromString(split.second.model).graph
    shapes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    ends = [shapes.get(node.input[1], [0, 0]) for node in graph.node if node.op_type == "Conv"]
    return next((channels for made, channels, *_ in ends if made == 1), 0)


def _in_bf16(path: Path, split: SplitModel, first: Network, given: Network) -> Network | None:
    """The second half in bfloat16; None if its weights are not float32 or in another file, or it computes otherwise."""
    import onnx

    from voxmatrix.piper.onnx.graph_edits import self_contained

    inputs, random = _tried(), np.random.default_rng(0)
    inputs[split.between] = random.standard_normal(split.taken(first.run(inputs)).shape, np.float32)
    shapes = {name: np.shape(inputs[name]) for name in given.part.inputs}
    whole = onnx.ModelProto.FromString(given.part.model)
    model = self_contained(whole, path, shapes | {split.between: (*shapes[split.between][:-1], None)})
    if model is None:
        return None
    step = max(1, STEP_SAMPLES // split.receptive_field.hop)
    network = given._replace(session=Bf16Session(model), step=step)
    return network if _near(network.run(inputs), given.run(inputs), _BF16) else None


def _tried() -> dict[str, Any]:
    """The inputs of a sentence."""
    return all_inputs([0] * _TRIED_IDS, SynthesisOptions(), np.random.default_rng(0))


def _near(made: Samples, wanted: Samples, part: float) -> bool:
    return made.shape == wanted.shape and bool(np.linalg.norm(made - wanted) <= part * np.linalg.norm(wanted))


@contextmanager
def _unfit(path: Path) -> Iterator[None]:
    """Leave the block if its networks cannot be opened or computed: the given ones tell the user why, if so."""
    with suppress(BadInputError, DamagedFileError, MemoryError, RuntimeError), voice_errors(path):
        yield
