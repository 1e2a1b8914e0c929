"""Convolutions over time as convolutions over planes one line high.

onnxruntime has its fastest convolutions (blocks of channels side by side, no copy of the input for each tap) for planes
only. Over (1, channels, 1, places) they give what those over (1, channels, places) give.
"""

from collections.abc import Sequence

from voxmatrix.speak.onnx.onnx_graph import ATTRIBUTE_INTS, NODE_ATTRIBUTE, TENSOR_DIMS, Node, OnnxGraph
from voxmatrix.speak.onnx.protobuf import Field, bytes_field, fields, number_field

_NODE = 1
_CONVOLUTIONS = (b"Conv", b"ConvTranspose")
_OF_ONE = frozenset({b"LeakyRelu", b"Relu", b"Tanh", b"Sigmoid", b"Identity", b"Neg", b"Exp", b"Sin", b"Constant"})
_OF_TWO = frozenset({b"Add", b"Sub", b"Mul", b"Div", b"Pow"})
#: Shapes that go with any axes: what is computed here has the one more, and a single number goes with all.
_ANY_AXES: tuple[list[int] | None, ...] = (None, [], [1])
#: They may stand at the end: who takes the samples does not ask for their axes.
_AXES = frozenset({b"Unsqueeze", b"Squeeze"})
#: What a convolution says of the line's height, where it says something of places.
_HEIGHT = {"kernel_shape": [1], "strides": [1], "dilations": [1], "output_padding": [0]}


def can_be_conv2d(network: OnnxGraph, nodes: Sequence[Node], ends: bytes) -> bool:
    """Whether one more axis leaves these operations what they are, up to the samples `ends`."""
    taps = {name for node in nodes if node.operation in _CONVOLUTIONS for name in node.inputs[1:2]}
    return all(_fits(network, node, taps, ends) for node in nodes)


def _fits(network: OnnxGraph, node: Node, taps: set[bytes], ends: bytes) -> bool:
    if node.operation in _CONVOLUTIONS:
        return len(network.shape(node.inputs[1]) or ()) == 3
    if taps.intersection(node.inputs):
        return False  # its axes change, and something else counts on them
    if node.operation in _OF_TWO:
        return all(network.shape(name) in _ANY_AXES for name in node.inputs)
    return node.operation in _OF_ONE or (node.operation in _AXES and ends in node.outputs)


def conv2d_node(network: OnnxGraph, node: Node) -> bytes:
    """The operation as a field of a graph, with a height where it is a convolution."""
    if node.operation not in _CONVOLUTIONS:
        return network.message(node.field)
    saved = (one for one in fields(network.data, node.field.start, node.field.end) if one.number != NODE_ATTRIBUTE)
    content = b"".join(map(network.message, saved))
    return bytes_field(_NODE, content + b"".join(_attribute(network, one) for one in node.attributes))


def conv2d_dims(dims: Sequence[int]) -> bytes:
    """The dims of a convolution's weight, as fields of a tensor."""
    *channels, taps = dims
    return b"".join(number_field(TENSOR_DIMS, length) for length in (*channels, 1, taps))


def _attribute(network: OnnxGraph, attribute: Field) -> bytes:
    name, values = network.whole_numbers(attribute)
    if name == "pads":
        values = [0, values[0], 0, values[1]]
    elif name in _HEIGHT:
        values = _HEIGHT[name] + values
    saved = (one for one in fields(network.data, attribute.start, attribute.end) if one.number != ATTRIBUTE_INTS)
    content = b"".join(map(network.message, saved))
    return bytes_field(NODE_ATTRIBUTE, content + b"".join(number_field(ATTRIBUTE_INTS, value) for value in values))
