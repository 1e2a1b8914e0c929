"""Split the first half of an ONNX voice where the text has become frames.

What follows may be given more frames than the mask has, so that it is computed for few lengths, and is the same. If it
has convolutions of 8-bit integers, which would be slower in bfloat16, they are a part of their own.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voxmatrix.piper.onnx.conv1d_as_conv2d import CONVOLUTIONS, INT8_CONVOLUTION
from voxmatrix.piper.onnx.flow import find_flow
from voxmatrix.piper.onnx.flow_nodes import FlowNodes, FlowTensors
from voxmatrix.piper.onnx.graph_edits import NewNodes, inputs_of, needed, self_contained, set_nodes
from voxmatrix.piper.onnx.model_split import ModelPart

#: Operations after which zeros are where they were.
_SAME = frozenset({"Identity", "Unsqueeze"})


class FramesSplit(NamedTuple):
    """The parts of a first half."""

    text: bytes  # the model up to the frames; its weights are in the file of the voice
    frames: bytes  # the model from the frames on, for one sentence, with its weights
    between: list[str]  # tensors that the first gives the second: frames, mask, and the speaker if there is one
    decoder: ModelPart | None  # what is computed with 8-bit integers
    made: str  # the output of `frames`: that of the half, or what the decoder is given


def split_frames(part: ModelPart, path: Path, least: int = 0) -> FramesSplit | None:
    """Split the first half of the voice in `path`.

    None: its flow is not Piper's or has fewer than `least` channels inside, its weights are not float32 or in another
    file, or text bypasses its frames.
    """
    import onnx

    model = onnx.ModelProto.FromString(part.model)
    flow = find_flow(model, path)
    if flow is None or len(flow[1][0].before) < least:
        return None
    tensors, couplings = flow
    shapes: dict[str, list[int | None]] = {
        tensors.frames: [1, 2 * len(couplings[0].shift_bias), None],
        tensors.mask: [1, 1, None],
    }
    if couplings[0].speaker is not None:
        shapes[tensors.speaker] = [1, couplings[0].speaker.shape[1], 1]
    after = needed(model.graph.node, [part.output], tensors)
    has_int8 = any(node.op_type == INT8_CONVOLUTION for node in after)
    made = tensors.latent if has_int8 else part.output
    try:
        graph = FlowNodes(tensors, couplings, bf16=True).graph
        if not has_int8:
            _add_masked(graph, after, model, tensors)
    except (LookupError, ValueError):
        return None
    nodes, new = graph.nodes, list(graph.initializers.values())
    constants = {one.name for one in (*model.graph.initializer, *new)}
    given = [name for name in (tensors.latent, tensors.speaker) if name]
    if not (_are_complete(nodes, constants, shapes) and _are_complete(after, constants, {*shapes, *given})):
        return None
    whole = _with(model, nodes, list(shapes), [made], new)
    del graph, nodes, new  # the weights are most of the memory
    frames = self_contained(whole, path, shapes)
    if frames is None:
        return None
    inputs = [one.name for one in model.graph.input]
    text = _with(model, list(model.graph.node), inputs, list(shapes), []).SerializeToString()
    decoder = _with(model, after, given, [part.output], []).SerializeToString() if has_int8 else None
    own = ModelPart(decoder, frozenset(given), part.output) if decoder else None
    return FramesSplit(text, frames, list(shapes), own, made)


def _are_complete(nodes: Sequence[Any], constants: Collection[str], given: Collection[str]) -> bool:
    """Whether the nodes need nothing else."""
    known = {*constants, *given, *(name for node in nodes for name in node.output)}
    return set().union(*map(inputs_of, nodes)) <= known


def _add_masked(made: NewNodes, after: Sequence[Any], model: Any, tensors: FlowTensors) -> None:
    """Add the nodes after the latent frames, their convolutions given zeros where there are no frames.

    Raises:
        LookupError: the weight of a convolution is no constant.
    """
    import onnx

    weights = {one.name: one for one in model.graph.initializer}
    rates = {tensors.latent: 1}  # positions a frame, of all tensors that depend on them
    masked = {tensors.latent}
    for given in after:
        node = onnx.NodeProto.FromString(given.SerializeToString())
        rate = max((rates[name] for name in node.input if name in rates), default=0)
        axes = len(weights[node.input[1]].dims) if rate and node.op_type in CONVOLUTIONS else 0
        if axes and node.input[0] not in masked:
            mask = made.add("Tile", made.add("Reshape", tensors.mask, [1, 1, -1, 1]), [1, 1, 1, rate])
            node.input[0] = made.add("Mul", node.input[0], made.add("Reshape", mask, [1] * (axes - 1) + [-1]))
        if axes and node.op_type == "ConvTranspose":
            rate *= next((one.ints[-1] for one in node.attribute if one.name == "strides"), 1)
        made.nodes.append(node)
        if node.op_type in _SAME and masked.issuperset(node.input[:1]):
            masked.update(node.output)
        if rate:
            rates |= dict.fromkeys(node.output, rate)


def _with(model: Any, nodes: list[Any], inputs: list[str], outputs: list[str], new: list[Any]) -> Any:
    """The model with these nodes, and more constants."""
    import onnx

    made = onnx.ModelProto.FromString(model.SerializeToString())
    given = {one.name: one for one in made.graph.input}
    ends = [[given.get(name) or _float_tensor(name) for name in names] for names in (inputs, outputs)]
    del made.graph.input[:], made.graph.output[:]
    made.graph.input.extend(ends[0])
    made.graph.output.extend(ends[1])
    set_nodes(made, nodes, [*model.graph.initializer, *new])
    return made


def _float_tensor(name: str) -> Any:
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
