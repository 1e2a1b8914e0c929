"""Split the ONNX graph of a voice: text to frames, upsampled eight times, and from these to samples.

The second half of a Piper voice is most of the work, and its receptive field is less than two frames on either side. It
can be computed in segments, which uses all threads even for a single sentence, and needs little memory. Weights are not
copied: both halves refer to the file, which onnxruntime maps into memory.

The noise becomes an input, so that a seed costs nothing. onnxruntime uses a seed only when it opens a session, which
takes as long as a short sentence, and has one seed for the whole process. Each RandomNormalLike becomes nodes that read
the input `NOISE`, each from a place of its own on, and from the beginning again after its end.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voxmatrix.piper.onnx.conv2d import CONVOLUTIONS, add_heights, are_conv2d, can_be_conv2d
from voxmatrix.piper.onnx.graph_edits import FIRST_DECODER_WEIGHT, NewNodes, inputs_of
from voxmatrix.piper.onnx.parts import DURATION_NOISE_PER_ID, NOISE, NOISE_APART, NOISE_PER_ID, ModelPart, SplitModel
from voxmatrix.piper.onnx.reading import read_model
from voxmatrix.piper.onnx.receptive_field import INT8_CONVOLUTION, Layer, receptive_field

#: The graph is split after the first upsampling of the decoder and its residual blocks. These have a receptive field of
#: up to 12 frames on either side, which segments would compute repeatedly; later layers have a small one.
#: In 8-bit integers, convolutions upsample whose outputs are interleaved.
_UPSAMPLING, _CONVOLUTION = frozenset({"ConvTranspose", "Transpose"}), frozenset({"Conv", INT8_CONVOLUTION})
_WITH_ATTRIBUTES = CONVOLUTIONS | _CONVOLUTION
_WITH_SUBGRAPHS = frozenset({"If", "Loop", "Scan", "SequenceMap"})
#: Inputs that have a time axis: nodes that use them cannot be computed in segments.
_TIMED_INPUTS = frozenset({"input", "input_lengths", "scales", NOISE})
_FLOAT = 1  # onnx.TensorProto.FLOAT
_RANDOM = "RandomNormalLike"
#: Attributes that ask for something else than standard normal numbers. None of Piper's exports has them.
_OTHER_NOISE = frozenset({"mean", "scale"})


class _Node(NamedTuple):
    """A node. Its inputs include the names used in its subgraphs."""

    op_type: str
    input: tuple[str, ...]
    output: tuple[str, ...]
    proto: Any  # onnx.NodeProto


class _Graph:
    """The graph of an onnx.ModelProto, its names as Python's, so that it can be searched several times."""

    def __init__(self, model: Any, path: Path) -> None:
        self.model, self.folder = model, path.parent
        self.nodes = [_node(node) for node in model.graph.node]
        self.initializers = {tensor.name: tensor for tensor in model.graph.initializer}
        # Old files also list initializers as inputs of the graph.
        self.inputs = {one.name: one for one in model.graph.input if one.name not in self.initializers}
        self.output = _output_of_samples(model)
        self.shapes = {name: list(tensor.dims) for name, tensor in self.initializers.items()}
        for node in self.nodes:
            if node.op_type == "Constant":
                values = (one.t for one in node.proto.attribute if one.name == "value")
                self.shapes |= {name: list(value.dims) for value in values for name in node.output}

    def needed(self, end: str, begin: str = "") -> tuple[list[_Node], set[str]]:
        """The nodes that compute the tensor `end`, starting from `begin` if given, in order; and all names they use."""
        nodes, names = [], {end}
        for node in reversed(self.nodes):  # nodes are in topological order
            if not names.isdisjoint(node.output):
                nodes.append(node)
                names.update(name for name in node.input if name != begin)
        return nodes[::-1], names


def split_model(path: Path, model: Any = None) -> SplitModel | None:
    """Split a voice, or return None if there is no place to split it, or its receptive field is unlimited.

    `model` is what `read_model` has read from this path, if that has happened.

    Raises:
        ValueError: the file is truncated or not an ONNX file.
    """
    graph = _Graph(model or read_model(path), path)
    boundary = _split_point(graph)
    if boundary is None:
        return None
    nodes, names = graph.needed(graph.output, boundary)
    field = receptive_field(map(_layer, nodes), graph.output, boundary)
    if field is None or not _TIMED_INPUTS.isdisjoint(names) or any(_takes_noise(node.proto) for node in nodes):
        return None  # or something bypasses the boundary
    as_conv2d = can_be_conv2d(nodes, graph.shapes, graph.output)
    first_nodes, first_names = graph.needed(boundary)
    return SplitModel(
        _part(graph, first_nodes, first_names, boundary),
        _part(graph, nodes, names, graph.output, boundary, as_conv2d=as_conv2d),
        boundary,
        as_conv2d=as_conv2d,
        uses_conv2d=as_conv2d or are_conv2d(nodes, graph.shapes),
        has_int8=any(node.op_type == INT8_CONVOLUTION for node in nodes),
        inputs=frozenset(graph.inputs),
        receptive_field=field,
    )


def whole_model(path: Path, model: Any = None) -> tuple[ModelPart, frozenset[str]]:
    """The voice in one part, with its noise as an input; and the inputs of the file, also those without a use.

    `model` is what `read_model` has read from this path, if that has happened.

    Raises:
        ValueError: the file is truncated or not an ONNX file.
    """
    graph = _Graph(model or read_model(path), path)
    return _part(graph, *graph.needed(graph.output), graph.output), frozenset(graph.inputs)


def _node(node: Any) -> _Node:
    inputs = inputs_of(node) if node.op_type in _WITH_SUBGRAPHS else node.input
    return _Node(node.op_type, tuple(inputs), tuple(node.output), node)


def _output_of_samples(model: Any) -> str:
    """The first output of float32 numbers; of any others if there is none, and "" if there is no output."""
    outputs = list(model.graph.output)
    of_floats = (one for one in outputs if one.type.tensor_type.elem_type == _FLOAT)
    return next((str(one.name) for one in (*of_floats, *outputs)), "")


def _split_point(graph: _Graph) -> str | None:
    """The tensor between the halves."""
    starts = (node for node in graph.nodes if any(name.endswith(FIRST_DECODER_WEIGHT) for name in node.input))
    start = next(starts, None)
    if start is None:
        return None
    decoder, _ = graph.needed(graph.output, start.input[0])
    return _after_upsampling(decoder, start.input[0], graph.output) or start.input[0]


def _after_upsampling(decoder: Sequence[_Node], begin: str, end: str) -> str | None:
    """The first tensor after an upsampling and a convolution that everything after it is computed from."""
    uses = Counter(name for node in decoder for name in node.input) + Counter([end])
    live = {begin: uses[begin]}  # tensors that depend on `begin`, and how often they will be used
    seen = [_UPSAMPLING, _CONVOLUTION]
    for node in decoder:
        used = [name for name in node.input if name in live]
        if not used:
            continue  # e.g. the embedding of the speaker
        for name in used:
            live[name] -= 1
        live |= {name: uses[name] for name in node.output}
        live = {name: left for name, left in live.items() if left}
        if seen and node.op_type in seen[0]:
            del seen[0]
        if not seen and len(live) == 1 and end not in live:
            return next(iter(live))
    return None


def _layer(node: _Node) -> Layer:
    attributes = node.proto.attribute if node.op_type in _WITH_ATTRIBUTES else ()
    return Layer(node.op_type, node.input, node.output, {one.name: list(one.ints) for one in attributes})


def _part(
    graph: _Graph, nodes: Iterable[_Node], names: Collection[str], end: str, begin: str = "", *, as_conv2d: bool = False
) -> ModelPart:
    """The part of the graph that computes `end`, starting from `begin` if given."""
    import onnx
    from onnx import TensorProto, helper

    part = onnx.ModelProto(ir_version=graph.model.ir_version, opset_import=graph.model.opset_import)
    part.functions.extend(graph.model.functions)
    part.graph.name = "voice"
    changed, constants = _with_noise_input([node.proto for node in nodes])
    part.graph.node.extend(changed)
    part.graph.initializer.extend(tensor for name, tensor in graph.initializers.items() if name in names)
    part.graph.initializer.extend(constants)
    if as_conv2d:
        add_heights(part.graph.node, part.graph.initializer)
    part.graph.input.extend(value for name, value in graph.inputs.items() if name in names)
    added = [*([begin] if begin else []), *([NOISE] if constants else [])]
    part.graph.input.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in added)
    frames = _frames(nodes)
    ends = filter(None, (end, frames))
    part.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ends)
    inputs = frozenset(one.name for one in part.graph.input)
    per_id = DURATION_NOISE_PER_ID if _draws_durations_alone(nodes, frames) else NOISE_PER_ID
    return ModelPart(part.SerializeToString(), inputs, end, graph.folder, frames, per_id)


def _frames(nodes: Iterable[_Node]) -> str:
    """The tensor with the frames of each id, the only one whose numbers are rounded up; "" if it is not in these."""
    rounded = [node.output[0] for node in nodes if node.op_type == "Ceil"]
    return rounded[0] if len(rounded) == 1 else ""


def _draws_durations_alone(nodes: Iterable[_Node], frames: str) -> bool:
    """Whether the only noise of these is in the shape of the ids, as a student's: nothing drawn depends on `frames`."""
    behind, drawn = {frames}, []
    for node in nodes:  # in topological order
        if not behind.isdisjoint(node.input):
            behind.update(node.output)
        if _takes_noise(node.proto):
            drawn.append(node.output[0])
    return bool(frames) and len(drawn) == 1 and behind.isdisjoint(drawn)


def _takes_noise(node: Any) -> bool:
    """Whether the node draws standard normal numbers."""
    return node.op_type == _RANDOM and _OTHER_NOISE.isdisjoint(attribute.name for attribute in node.attribute)


def _with_noise_input(nodes: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """These nodes, those that draw noise replaced, and the constants that they need; none if no node draws noise."""
    new, made = NewNodes(f"{NOISE}/"), []
    count = 0
    for node in nodes:
        first = len(new.nodes)
        if _takes_noise(node):
            _read_noise(new, node.input[0], [count * NOISE_APART], node.output[0])
            count += 1
        made += new.nodes[first:] or [node]
    return made, list(new.initializers.values())


def _read_noise(new: NewNodes, like: str, place: Sequence[int], output: str) -> None:
    """Add nodes that read noise from this place on, in the shape of the tensor `like`."""
    shape = new.add("Shape", like)
    length = new.add("Shape", NOISE)
    start = new.add("Mod", place, length)
    end = new.add("Add", start, new.add("ReduceProd", shape))
    times = new.add("Add", new.add("Div", end, length), [1])
    flat = new.add("Slice", new.add("Tile", NOISE, times), start, end)
    new.add("Reshape", flat, shape, output=output)
