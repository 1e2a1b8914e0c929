"""The halves of a voice for many sentences: they take longer to open, and less time for each sentence."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.networks import Network, all_inputs, on_cpu, voice_errors
from voxmatrix.piper.engines.openvino import STEP_SAMPLES, Bf16Session, computes_bf16
from voxmatrix.piper.onnx.model_split import SplitModel

#: Ids of the sentence on which a faster network is tried.
_PROBE_IDS = 24
#: How far its output may be from that of the given one, as a part of it: rounding makes 1e-5, and bfloat16 0.03.
_ROUNDING, _BF16 = 1e-3, 0.1
#: Of the last convolution of a voice whose second half gains by bfloat16. `tiny` and `fast_x_low` would gain 2 % of
#: their time, and need 50 MiB more.
_MIN_LAST = 32


def faster_first(path: Path, split: SplitModel) -> Network:
    """The first half with fewer operations, if it has some that can be replaced."""
    from voxmatrix.piper.onnx.winograd import with_fewer_operations

    part = with_fewer_operations(split.first, path)
    if part is None:
        return on_cpu(path, split.first, optimised=True)
    original, inputs = on_cpu(path, split.first), _probe_inputs()
    with _fall_back_on_error(path):
        network = on_cpu(path, part, optimised=True)
        if _is_close(network.run(inputs), original.run(inputs), _ROUNDING):
            return network
    return original


def faster_second(path: Path, split: SplitModel, first: Network, least: int) -> Network:
    """The second half, in bfloat16 where that pays."""
    original = on_cpu(path, split.second, least, optimised=split.uses_conv2d)
    if not split.has_int8 and computes_bf16() and _channels_at_the_end(split) >= _MIN_LAST:
        with _fall_back_on_error(path):
            return _in_bf16(path, split, first, original) or original
    return original


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

    inputs, random = _probe_inputs(), np.random.default_rng(0)
    inputs[split.boundary] = random.standard_normal(split.as_second_input(first.run(inputs)).shape, np.float32)
    shapes = {name: np.shape(inputs[name]) for name in given.part.inputs}
    whole = onnx.ModelProto.FromString(given.part.model)
    model = self_contained(whole, path, shapes | {split.boundary: (*shapes[split.boundary][:-1], None)})
    if model is None:
        return None
    step = max(1, STEP_SAMPLES // split.receptive_field.hop)
    network = given._replace(session=Bf16Session(model), step=step)
    return network if _is_close(network.run(inputs), given.run(inputs), _BF16) else None


def _probe_inputs() -> dict[str, Any]:
    """The inputs of a sentence."""
    return all_inputs([0] * _PROBE_IDS, SynthesisOptions(), np.random.default_rng(0))


def _is_close(made: Samples, wanted: Samples, part: float) -> bool:
    return made.shape == wanted.shape and bool(np.linalg.norm(made - wanted) <= part * np.linalg.norm(wanted))


@contextmanager
def _fall_back_on_error(path: Path) -> Iterator[None]:
    """Leave the block if its networks cannot be opened or computed: the given ones tell the user why, if so."""
    with suppress(BadInputError, DamagedFileError, MemoryError, RuntimeError), voice_errors(path):
        yield
