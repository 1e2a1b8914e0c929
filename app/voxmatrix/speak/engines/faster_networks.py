"""The halves of a voice for many sentences: they take longer to open, and less time for each sentence."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.samples import Samples
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.speak.engines.base import SynthesisOptions
from voxmatrix.speak.engines.networks import Network, all_inputs, on_cpu, voice_errors
from voxmatrix.speak.engines.openvino import STEP_SAMPLES, Bf16Session, computes_bf16
from voxmatrix.speak.onnx.model_split import SplitModel

#: A faster network is tried on a sentence of so many ids.
_TRIED_IDS = 24
#: How far its output may be from that of the given one, as a part of it: rounding makes 1e-5, and bfloat16 .03.
_ROUNDING, _BF16 = 1e-3, 0.1
#: Of the last convolution of a voice that gains by bfloat16. `tiny` and `fast`, which have 16 and none, would gain 2 %
#: of their time, and need 50 MiB more.
_LEAST_CHANNELS = 32


def faster_first(path: Path, split: SplitModel) -> Network:
    """The first half with other nodes; as it is, if it has none to replace, or then computes otherwise."""
    from voxmatrix.speak.onnx.minimal_filtering import with_fewer_multiplications

    given, faster = on_cpu(path, split.first), with_fewer_multiplications(split.first, path)
    if faster is not None:
        with _unfit(path):
            network, inputs = on_cpu(path, faster), _tried()
            if _near(network.run(inputs), given.run(inputs), _ROUNDING):
                return network
    return given


def faster_second(path: Path, split: SplitModel, first: Network, least: int) -> Network:
    """The second half with faster last layers if it has them, and in bfloat16 where that pays."""
    from voxmatrix.speak.onnx.last_convolution import PHASES, with_phases

    fits = split.has_planes and not split.receptive_field.hop % PHASES
    part = (with_phases(split.second, path) if fits else None) or split.second
    given = on_cpu(path, part, least, optimised=split.has_planes)
    if computes_bf16() and _channels_at_the_end(split) >= _LEAST_CHANNELS:
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
    from voxmatrix.speak.onnx.graph_edits import self_contained

    inputs, random = _tried(), np.random.default_rng(0)
    inputs[split.between] = random.standard_normal(split.taken(first.run(inputs)).shape, np.float32)
    shapes = {name: np.shape(inputs[name]) for name in given.part.inputs}
    model = self_contained(given.part.model, path, shapes | {split.between: (*shapes[split.between][:-1], None)})
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
