"""Convert 1-D convolutions to 2-D convolutions of height one.

The fastest convolutions of onnxruntime (blocked channels, no im2col) exist only in 2-D. On (1, channels, 1, positions)
they compute the same as 1-D convolutions on (1, channels, positions).
"""

from collections.abc import Sequence

from voxmatrix.piper.onnx import onnx_proto as proto
from voxmatrix.piper.onnx.onnx_graph import Node, OnnxGraph
from voxmatrix.piper.onnx.protobuf import Message, bytes_field, varint_field

CONVOLUTIONS = frozenset({"Conv", "ConvTranspose"})
#: A convolution of 8-bit integers, which `distil` writes with a height.
INT8_CONVOLUTION = "QLinearConv"
_UNARY = frozenset({"LeakyRelu", "Relu", "Tanh", "Sigmoid", "Identity", "Neg", "Exp", "Sin", "Constant"})
_BINARY = frozenset({"Add", "Sub", "Mul", "Div", "Pow"})
#: Shapes that broadcast with the added axis: computed tensors (None) have it too, and scalars fit any shape.
_BROADCAST: tuple[list[int] | None, ...] = (None, [], [1])
#: Allowed at the end: the samples are flattened, so their axes do not matter.
_CHANGE_AXES = frozenset({"Unsqueeze", "Squeeze"})
#: Values for the height in the attributes of a convolution.
HEIGHT = {"kernel_shape": [1], "strides": [1], "dilations": [1], "output_padding": [0]}


def can_be_conv2d(graph: OnnxGraph, nodes: Sequence[Node], output: str) -> bool:
    """Whether these nodes compute the same values, up to the samples `output`, on tensors with one more axis."""
    weights = {name for node in nodes if node.op_type in CONVOLUTIONS for name in node.inputs[1:2]}
    return all(_fits(graph, node, weights, output) for node in nodes)


def conv2d_node(node: Node) -> bytes:
    """The NodeProto, with a height if it is a convolution."""
    if node.op_type not in CONVOLUTIONS:
        return node.message.content()
    attributes = (
        bytes_field(proto.NODE_ATTRIBUTE, _attribute(one)) for one in node.message.values(proto.NODE_ATTRIBUTE)
    )
    return node.message.without(proto.NODE_ATTRIBUTE) + b"".join(attributes)


def conv2d_dims(dims: Sequence[int]) -> bytes:
    """The shape of the weight of a convolution with a height of one, as fields of a TensorProto."""
    *channels, taps = dims
    return b"".join(varint_field(proto.TENSOR_DIMS, length) for length in (*channels, 1, taps))


def _fits(graph: OnnxGraph, node: Node, weights: set[str], output: str) -> bool:
    if node.op_type in CONVOLUTIONS:
        return len(graph.shape(node.inputs[1]) or ()) == 3
    if weights.intersection(node.inputs):
        return False  # this node relies on the shape, which changes
    if node.op_type in _BINARY:
        return all(graph.shape(name) in _BROADCAST for name in node.inputs)
    return node.op_type in _UNARY or (node.op_type in _CHANGE_AXES and output in node.outputs)


def _attribute(attribute: Message) -> bytes:
    name, ints = attribute.text(proto.ATTRIBUTE_NAME), attribute.ints(proto.ATTRIBUTE_INTS)
    if name == "pads":
        before, after = ints
        ints = [0, before, 0, after]
    elif name in HEIGHT:
        ints = HEIGHT[name] + ints
    return attribute.without(proto.ATTRIBUTE_INTS) + b"".join(varint_field(proto.ATTRIBUTE_INTS, one) for one in ints)
