"""A voice's ONNX in two halves: text to frames made eight times finer, and those to samples.

The second half is most of the work and looks less than two frames to either side. Alone it can be computed piece by
piece: on all threads at once, also for one sentence, and in little memory. Weights are not copied: both halves point
into the file, which onnxruntime maps.
"""

import gc
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

from voxmatrix.speak.onnx import onnx_proto as proto
from voxmatrix.speak.onnx.conv1d_as_conv2d import CONVOLUTIONS, can_be_conv2d, conv2d_dims, conv2d_node
from voxmatrix.speak.onnx.onnx_graph import Node, OnnxGraph
from voxmatrix.speak.onnx.protobuf import Message, bytes_field, varint_field
from voxmatrix.speak.onnx.receptive_field import Layer, ReceptiveField, receptive_field

#: The first layer of what makes samples, by the end of its weight's name in every export of Piper's networks.
_FRAMES_COME_IN = "dec.conv_pre.weight"
#: The halves meet before the second of its upsamplings. Before that, layers look up to 12 frames to either side and so
#: would be computed often; behind it they see little, and are the costly ones.
_UPSAMPLING, _UPSAMPLINGS_BEFORE = "ConvTranspose", 1
#: Piper's inputs that have a place in time: what takes them cannot be computed in pieces.
_TIMED_INPUTS = frozenset({"input", "input_lengths", "scales"})
#: Weights smaller than this are copied.
_LEAST_MAPPED_BYTES = 4096


@dataclass(frozen=True)
class ModelPart:
    """A model that onnxruntime loads beside the file that it was taken from."""

    model: bytes
    inputs: frozenset[str]
    output: str


@dataclass(frozen=True)
class SplitModel:
    """What goes from text to the cut, what goes on to samples, and how far the latter looks."""

    first: ModelPart
    second: ModelPart
    between: str  # where they meet: (1, channels, places)
    as_conv2d: bool  # the second half takes it as (1, channels, 1, places), which is faster
    inputs: frozenset[str]  # of the whole
    receptive_field: ReceptiveField


def split_model(path: Path) -> SplitModel | None:
    """Both halves of a voice, or None when it has no place to cut at or has layers that look everywhere.

    Raises:
        ValueError: this is no ONNX, or it is cut short.
    """
    collecting = gc.isenabled()
    gc.disable()  # thousands of small tuples would set off a full collection, a third of the time all this takes
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            return _split(OnnxGraph(data), path.name)
    finally:
        if collecting:
            gc.enable()


def _split(graph: OnnxGraph, location: str) -> SplitModel | None:
    between = _place_to_cut(graph)
    if between is None:
        return None
    behind, _ = graph.needed(graph.output, between)
    seen = receptive_field(map(_layer, behind), graph.output, between)
    if seen is None:
        return None
    as_conv2d = can_be_conv2d(graph, behind, graph.output)
    first = _part(graph, location, end=between)
    second = _part(graph, location, end=graph.output, begin=between, as_conv2d=as_conv2d)
    if second.inputs & _TIMED_INPUTS:  # something goes around the cut
        return None
    return SplitModel(first, second, between, as_conv2d, graph.input_names(), seen)


def _place_to_cut(graph: OnnxGraph) -> str | None:
    """The tensor between the halves."""
    takes_frames = (node for node in graph.nodes if any(name.endswith(_FRAMES_COME_IN) for name in node.inputs))
    come_in = next(takes_frames, None)
    if come_in is None:
        return None
    behind, _ = graph.needed(graph.output, come_in.inputs[0])
    upsampled = [node.inputs[0] for node in behind if node.op_type == _UPSAMPLING]
    return (upsampled[_UPSAMPLINGS_BEFORE:] or [come_in.inputs[0]])[0]


def _layer(node: Node) -> Layer:
    attributes = node.int_attributes() if node.op_type in CONVOLUTIONS else {}
    return Layer(node.op_type, node.inputs, node.outputs, attributes)


def _part(graph: OnnxGraph, location: str, *, end: str, begin: str = "", as_conv2d: bool = False) -> ModelPart:
    """The part of the graph that computes `end`, from `begin` where it is given."""
    nodes, names = graph.needed(end, begin)
    inputs = {name: value.content() for name, value in graph.inputs.items() if name in names}
    if begin:
        inputs[begin] = _float_tensor(begin)
    kernels = {node.inputs[1] for node in nodes if node.op_type in CONVOLUTIONS} if as_conv2d else ()
    initializers = (
        _initializer(tensor, location, as_conv2d=name in kernels)
        for name, tensor in graph.initializers.items()
        if name in names
    )
    fields = [
        bytes_field(proto.GRAPH_NAME, b"half"),
        *(bytes_field(proto.GRAPH_NODE, conv2d_node(one) if as_conv2d else one.message.content()) for one in nodes),
        *(bytes_field(proto.GRAPH_INITIALIZER, one) for one in initializers),
        *(bytes_field(proto.GRAPH_INPUT, one) for one in inputs.values()),
        bytes_field(proto.GRAPH_OUTPUT, _float_tensor(end)),
    ]
    return ModelPart(graph.head + bytes_field(proto.MODEL_GRAPH, b"".join(fields)), frozenset(inputs), end)


def _initializer(tensor: Message, location: str, *, as_conv2d: bool) -> bytes:
    """A TensorProto that says where in the file its numbers lie; a small one as it is."""
    content = conv2d_dims(tensor.ints(proto.TENSOR_DIMS)) if as_conv2d else b""
    for number, begin, start, end in tensor.fields():
        if number == proto.TENSOR_RAW_DATA and end - start >= _LEAST_MAPPED_BYTES:
            content += _external_data(location, start, end - start)
        elif number != proto.TENSOR_DIMS or not as_conv2d:
            content += tensor.data[begin:end]
    return content


def _external_data(location: str, offset: int, length: int) -> bytes:
    """What stands in a TensorProto instead of its numbers: the file that holds them, and where, in bytes."""
    content = varint_field(proto.TENSOR_DATA_LOCATION, proto.EXTERNAL)
    for key, value in {"location": location, "offset": str(offset), "length": str(length)}.items():
        entry = bytes_field(proto.ENTRY_KEY, key.encode()) + bytes_field(proto.ENTRY_VALUE, value.encode())
        content += bytes_field(proto.TENSOR_EXTERNAL_DATA, entry)
    return content


def _float_tensor(name: str) -> bytes:
    """The ValueInfoProto of an input or output of float32 numbers in any shape."""
    elem_type = varint_field(proto.TENSOR_TYPE_ELEM_TYPE, proto.FLOAT)
    tensor_type = bytes_field(proto.TYPE_TENSOR_TYPE, elem_type)
    return bytes_field(proto.VALUE_INFO_NAME, name.encode()) + bytes_field(proto.VALUE_INFO_TYPE, tensor_type)
