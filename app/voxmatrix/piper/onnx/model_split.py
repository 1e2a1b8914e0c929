"""Split the ONNX graph of a voice: text to frames, upsampled eight times, and from these to samples.

The second half of a Piper voice is most of the work, and its receptive field is less than two frames on either side. It
can be computed in segments, which uses all threads even for a single sentence, and needs little memory. Weights are not
copied: both halves refer to the file, which onnxruntime maps into memory.
"""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path

from voxmatrix.audio.waves import Samples
from voxmatrix.piper.onnx import onnx_proto as proto
from voxmatrix.piper.onnx.conv1d_as_conv2d import (
    CONVOLUTIONS,
    INT8_CONVOLUTION,
    can_be_conv2d,
    conv2d_dims,
    conv2d_node,
)
from voxmatrix.piper.onnx.noise_input import NOISE, noise_constants, noise_nodes, takes_noise
from voxmatrix.piper.onnx.onnx_graph import Node, OnnxGraph
from voxmatrix.piper.onnx.protobuf import Message, bytes_field, varint_field
from voxmatrix.piper.onnx.receptive_field import Layer, ReceptiveField, receptive_field

#: The end of the name of the weight of the first decoder layer, in every export of Piper's networks.
FIRST_DECODER_WEIGHT = "dec.conv_pre.weight"
#: The graph is split after the first upsampling of the decoder and its residual blocks. These have a receptive field of
#: up to 12 frames on either side, which segments would compute repeatedly; later layers have a small one.
#: In 8-bit integers, convolutions upsample whose outputs are interleaved.
_UPSAMPLING, _CONVOLUTION = frozenset({"ConvTranspose", "Transpose"}), frozenset({"Conv", INT8_CONVOLUTION})
_WITH_ATTRIBUTES = CONVOLUTIONS | _CONVOLUTION
#: Inputs that have a time axis: nodes that use them cannot be computed in segments.
_TIMED_INPUTS = frozenset({"input", "input_lengths", "scales", NOISE})
#: Weights smaller than this are copied.
_MIN_MAPPED_BYTES = 4096


@dataclass(frozen=True)
class ModelPart:
    """A part of a model, whose weights onnxruntime loads from the original file."""

    model: bytes
    inputs: frozenset[str]
    output: str


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

    @property
    def is_fast(self) -> bool:
        """Whether it is a fast voice, which is written in planes."""
        return self.uses_conv2d and not self.as_conv2d

    def as_second_input(self, boundary: Samples) -> Samples:
        """The boundary, or a part of it, as the second half takes it."""
        return boundary[..., None, :] if self.as_conv2d else boundary


def split_model(path: Path) -> SplitModel | None:
    """Split a voice, or return None if there is no place to split it, or its receptive field is unlimited.

    Raises:
        ValueError: the file is truncated or not an ONNX file.
    """
    with _opened(path) as graph:
        return _split(graph, path.name)


def whole_model(path: Path) -> tuple[ModelPart, frozenset[str]]:
    """The voice in one part, with its noise as an input; and the inputs of the file, also those without a use.

    Raises:
        ValueError: the file is truncated or not an ONNX file.
    """
    with _opened(path) as graph:
        return _part(graph, path.name, end=graph.output), graph.input_names()


@contextmanager
def _opened(path: Path) -> Iterator[OnnxGraph]:
    collecting = gc.isenabled()
    gc.disable()  # thousands of small tuples would trigger a full collection, a third of the total time
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            yield OnnxGraph(data)
    finally:
        if collecting:
            gc.enable()


def _split(graph: OnnxGraph, location: str) -> SplitModel | None:
    boundary = _split_point(graph)
    if boundary is None:
        return None
    nodes, _ = graph.needed(graph.output, boundary)
    field = receptive_field(map(_layer, nodes), graph.output, boundary)
    if field is None:
        return None
    as_conv2d = can_be_conv2d(graph, nodes, graph.output)
    first = _part(graph, location, end=boundary)
    second = _part(graph, location, end=graph.output, begin=boundary, as_conv2d=as_conv2d)
    if second.inputs & _TIMED_INPUTS:  # something bypasses the split point
        return None
    return SplitModel(
        first,
        second,
        boundary,
        as_conv2d=as_conv2d,
        uses_conv2d=as_conv2d or _have_planes(graph, nodes),
        has_int8=any(node.op_type == INT8_CONVOLUTION for node in nodes),
        inputs=graph.input_names(),
        receptive_field=field,
    )


def _split_point(graph: OnnxGraph) -> str | None:
    """The tensor between the halves."""
    starts = (node for node in graph.nodes if any(name.endswith(FIRST_DECODER_WEIGHT) for name in node.inputs))
    start = next(starts, None)
    if start is None:
        return None
    decoder, _ = graph.needed(graph.output, start.inputs[0])
    return _after_upsampling(decoder, start.inputs[0], graph.output) or start.inputs[0]


def _after_upsampling(decoder: Sequence[Node], begin: str, end: str) -> str | None:
    """The first tensor after an upsampling and a convolution that everything after it is computed from."""
    uses = Counter(name for node in decoder for name in node.inputs) + Counter([end])
    live = {begin: uses[begin]}  # tensors that depend on `begin`, and how often they will be used
    seen = [_UPSAMPLING, _CONVOLUTION]
    for node in decoder:
        used = [name for name in node.inputs if name in live]
        if not used:
            continue  # e.g. the embedding of the speaker
        for name in used:
            live[name] -= 1
        live |= {name: uses[name] for name in node.outputs}
        live = {name: left for name, left in live.items() if left}
        if seen and node.op_type in seen[0]:
            del seen[0]
        if not seen and len(live) == 1 and end not in live:
            return next(iter(live))
    return None


def _have_planes(graph: OnnxGraph, nodes: Sequence[Node]) -> bool:
    return all(len(graph.shape(node.inputs[1]) or ()) == 4 for node in nodes if node.op_type in CONVOLUTIONS)


def _layer(node: Node) -> Layer:
    attributes = node.int_attributes() if node.op_type in _WITH_ATTRIBUTES else {}
    return Layer(node.op_type, node.inputs, node.outputs, attributes)


def _part(graph: OnnxGraph, location: str, *, end: str, begin: str = "", as_conv2d: bool = False) -> ModelPart:
    """The part of the graph that computes `end`, starting from `begin` if given."""
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
    random = [node for node in nodes if takes_noise(node)]
    if random:
        inputs[NOISE] = _float_tensor(NOISE)
    computing = chain.from_iterable(
        noise_nodes(node, random.index(node)) if node in random else [_node(node, as_conv2d=as_conv2d)]
        for node in nodes
    )
    fields = [
        bytes_field(proto.GRAPH_NAME, b"voice"),
        *(bytes_field(proto.GRAPH_NODE, one) for one in computing),
        *(bytes_field(proto.GRAPH_INITIALIZER, one) for one in (*initializers, *noise_constants(len(random)))),
        *(bytes_field(proto.GRAPH_INPUT, one) for one in inputs.values()),
        bytes_field(proto.GRAPH_OUTPUT, _float_tensor(end)),
    ]
    return ModelPart(graph.head + bytes_field(proto.MODEL_GRAPH, b"".join(fields)), frozenset(inputs), end)


def _node(node: Node, *, as_conv2d: bool) -> bytes:
    return conv2d_node(node) if as_conv2d else node.message.content()


def _initializer(tensor: Message, location: str, *, as_conv2d: bool) -> bytes:
    """A TensorProto that refers to its data in the file; small tensors are copied."""
    content = conv2d_dims(tensor.ints(proto.TENSOR_DIMS)) if as_conv2d else b""
    for number, begin, start, end in tensor.fields():
        if number == proto.TENSOR_RAW_DATA and end - start >= _MIN_MAPPED_BYTES:
            content += _external_data(location, start, end - start)
        elif number != proto.TENSOR_DIMS or not as_conv2d:
            content += tensor.data[begin:end]
    return content


def _external_data(location: str, offset: int, length: int) -> bytes:
    """The fields of a TensorProto that refer to its data in a file, with offset and length in bytes."""
    content = varint_field(proto.TENSOR_DATA_LOCATION, proto.EXTERNAL)
    for key, value in {"location": location, "offset": str(offset), "length": str(length)}.items():
        entry = bytes_field(proto.ENTRY_KEY, key.encode()) + bytes_field(proto.ENTRY_VALUE, value.encode())
        content += bytes_field(proto.TENSOR_EXTERNAL_DATA, entry)
    return content


def _float_tensor(name: str) -> bytes:
    """The ValueInfoProto of a float32 input or output of any shape."""
    elem_type = varint_field(proto.TENSOR_TYPE_ELEM_TYPE, proto.FLOAT)
    tensor_type = bytes_field(proto.TYPE_TENSOR_TYPE, elem_type)
    return bytes_field(proto.VALUE_INFO_NAME, name.encode()) + bytes_field(proto.VALUE_INFO_TYPE, tensor_type)
