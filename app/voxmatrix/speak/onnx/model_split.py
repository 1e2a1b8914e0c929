"""A voice's ONNX in two halves: text to frames made eight times finer, and those to samples.

The second half is most of the work and looks less than two frames to either side. Alone it can be computed piece by
piece: on all threads at once, also for one sentence, and in little memory. Weights are not copied: both halves point
into the file, which onnxruntime maps.
"""

import mmap
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.speak.onnx.conv1d_as_conv2d import can_be_conv2d, conv2d_dims, conv2d_node
from voxmatrix.speak.onnx.onnx_graph import TENSOR_DIMS, OnnxGraph
from voxmatrix.speak.onnx.protobuf import bytes_field, fields, number_field
from voxmatrix.speak.onnx.receptive_field import ReceptiveField, receptive_field

#: Numbers of onnx.proto.
_MODEL_GRAPH = 7
_NAME, _INITIALIZER, _INPUT, _OUTPUT = 2, 5, 11, 12
_TENSOR_RAW, _TENSOR_EXTERNAL, _TENSOR_LOCATION = 9, 13, 14
_EXTERNAL = 1
_FLOAT = 1

#: The first layer of what makes samples, by the end of its weight's name in every export of Piper's networks.
_FRAMES_COME_IN = b"dec.conv_pre.weight"
#: The halves meet before the second of its upsamplings. Before that, layers look up to 12 frames to either side and so
#: would be computed often; behind it they see little, and are the costly ones.
_UPSAMPLING, _UPSAMPLINGS_BEFORE = b"ConvTranspose", 1
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
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        data = memoryview(mapped)
        try:
            return _cut(OnnxGraph(data), path.name)
        finally:
            data.release()


def _cut(network: OnnxGraph, location: str) -> SplitModel | None:
    between = _place_to_cut(network)
    seen = receptive_field(network.layers(between), network.output.decode(), between.decode()) if between else None
    if between is None or seen is None:
        return None
    as_conv2d = can_be_conv2d(network, network.needed(network.output, between)[0], network.output)
    first = _half(network, location, ends=between, begins=b"", as_conv2d=False)
    second = _half(network, location, ends=network.output, begins=between, as_conv2d=as_conv2d)
    if second.inputs & _TIMED_INPUTS:  # something goes around the cut
        return None
    return SplitModel(first, second, between.decode(), as_conv2d, network.given, seen)


def _place_to_cut(network: OnnxGraph) -> bytes | None:
    """The tensor between the halves."""
    frames = (node for node in network.nodes if any(name.endswith(_FRAMES_COME_IN) for name in node.inputs))
    come_in = next(frames, None)
    if come_in is None:
        return None
    behind, _ = network.needed(network.output, come_in.inputs[0])
    finer = [node.inputs[0] for node in behind if node.operation == _UPSAMPLING]
    return (finer[_UPSAMPLINGS_BEFORE:] or [come_in.inputs[0]])[0]


def _half(network: OnnxGraph, location: str, *, ends: bytes, begins: bytes, as_conv2d: bool) -> ModelPart:
    """The part of the network that makes `ends`, from `begins` where there is one."""
    nodes, names = network.needed(ends, begins)
    inputs = [name for name in network.inputs if name in names]
    convolved = {node.inputs[1] for node in nodes if node.operation.startswith(b"Conv")} if as_conv2d else set()
    graph = bytes_field(_NAME, b"half")
    graph += b"".join(conv2d_node(network, node) if as_conv2d else network.message(node.field) for node in nodes)
    weights = (name for name in network.weights if name in names)
    graph += b"".join(bytes_field(_INITIALIZER, _weight(network, name, location, convolved)) for name in weights)
    graph += b"".join(network.message(network.inputs[name]) for name in inputs)
    graph += bytes_field(_INPUT, _tensor_of_floats(begins)) if begins else b""
    graph += bytes_field(_OUTPUT, _tensor_of_floats(ends))
    return ModelPart(
        model=network.head + bytes_field(_MODEL_GRAPH, graph),
        inputs=frozenset(name.decode() for name in [*inputs, *([begins] if begins else [])]),
        output=ends.decode(),
    )


def _weight(network: OnnxGraph, name: bytes, location: str, convolved: Collection[bytes]) -> bytes:
    """A weight that says where in the file its numbers lie; a small one as it is."""
    tensor = network.weights[name]
    head, raw = b"", None
    if name in convolved:
        head = conv2d_dims(network.dims(tensor))
    for field in fields(network.data, tensor.start, tensor.end):
        if field.number == _TENSOR_RAW and field.end - field.start >= _LEAST_MAPPED_BYTES:
            raw = field
        elif field.number != TENSOR_DIMS or name not in convolved:
            head += network.message(field)
    if raw is None:
        return head
    place = {"location": location, "offset": str(raw.start), "length": str(raw.end - raw.start)}
    entries = (bytes_field(1, key.encode()) + bytes_field(2, value.encode()) for key, value in place.items())
    head += b"".join(bytes_field(_TENSOR_EXTERNAL, entry) for entry in entries)
    return head + number_field(_TENSOR_LOCATION, _EXTERNAL)


def _tensor_of_floats(name: bytes) -> bytes:
    """The declaration of an input or output of float32 numbers in any shape."""
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, number_field(1, _FLOAT)))
