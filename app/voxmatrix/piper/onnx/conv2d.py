"""Convert 1-D convolutions to 2-D convolutions of height one.

The fastest convolutions of onnxruntime (blocked channels, no im2col) exist only in 2-D. On (1, channels, 1, positions)
they compute the same as 1-D convolutions on (1, channels, positions).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from voxmatrix.piper.onnx.graph_edits import SPEAKER_WEIGHT, decoder_input, needed, rename, set_nodes

CONVOLUTIONS = frozenset({"Conv", "ConvTranspose"})
_UNARY = frozenset({"LeakyRelu", "Relu", "Tanh", "Sigmoid", "Identity", "Neg", "Exp", "Sin", "Constant"})
_BINARY = frozenset({"Add", "Sub", "Mul", "Div", "Pow"})
#: Shapes that broadcast with the added axis: computed tensors (None) have it too, and scalars fit any shape.
_BROADCAST: tuple[list[int] | None, ...] = (None, [], [1])
#: Allowed at the end: the samples are flattened, so their axes do not matter.
_CHANGE_AXES = frozenset({"Unsqueeze", "Squeeze"})
#: Axes of the weight of a 1-D convolution, and of one with a height.
_AXES_1D, AXES_2D = 3, 4
#: Values for the height in the attributes of a convolution.
_HEIGHT = {"kernel_shape": [1], "strides": [1], "dilations": [1], "output_padding": [0]}

_HEIGHT_AXIS = "conv2d/height_axis"

#: The shapes of constants by name.
Shapes = Mapping[str, Sequence[int]]


def can_be_conv2d(nodes: Iterable[Any], shapes: Shapes, output: str) -> bool:
    """Whether these nodes compute the same values, up to the samples `output`, on tensors with one more axis."""
    nodes = list(nodes)
    weights = {node.input[1] for node in nodes if node.op_type in CONVOLUTIONS}
    return all(_fits(node, shapes, weights, output) for node in nodes)


def add_heights(nodes: Iterable[Any], initializers: Iterable[Any]) -> None:
    """Change convolutions and their weights."""
    weights = {tensor.name: tensor for tensor in initializers}
    changed = set()
    for node in nodes:
        if node.op_type in CONVOLUTIONS:
            if (name := node.input[1]) not in changed:
                weights[name].dims.insert(2, 1)
                changed.add(name)
            for attribute in node.attribute:
                if attribute.name == "pads":
                    before, after = attribute.ints
                    attribute.ints[:] = [0, before, 0, after]
                elif attribute.name in _HEIGHT:
                    attribute.ints[:] = [*_HEIGHT[attribute.name], *attribute.ints]


def decoder_to_conv2d(model: Any) -> None:
    """Change the decoder of this onnx.ModelProto, all of whose axes are 0 or 1. Samples become (b, 1, 1, n).

    The same convolutions of the part that reads text would gain nothing (measured).
    """
    import onnx

    given = [name for name in (decoder_input(model), decoder_input(model, SPEAKER_WEIGHT)) if name]
    (output,) = (one.name for one in model.graph.output)
    # Constants may be needed by both parts: they remain in front.
    decoder = [node for node in needed(model.graph.node, [output], given) if node.input][::-1]
    of_decoder = {name for node in decoder for name in node.output}
    before = [node for node in model.graph.node if of_decoder.isdisjoint(node.output)]
    if decoder[0].op_type == "Unsqueeze":  # of samples (b, 1, n)
        samples = decoder.pop(0).input[0]
        rename(decoder, {samples: output})
    with_height = {name: f"conv2d/{name}" for name in given}
    rename(decoder, with_height)
    add_heights(decoder, model.graph.initializer)
    added = [onnx.helper.make_node("Unsqueeze", [name, _HEIGHT_AXIS], [other]) for name, other in with_height.items()]
    axis = onnx.numpy_helper.from_array(np.array([2], dtype=np.int64), _HEIGHT_AXIS)
    set_nodes(model, [*before, *added, *decoder[::-1]], [axis])


def are_conv2d(nodes: Iterable[Any], shapes: Shapes) -> bool:
    """Whether all convolutions among these nodes are two-dimensional."""
    return all(len(shapes.get(node.input[1], ())) == AXES_2D for node in nodes if node.op_type in CONVOLUTIONS)


def _fits(node: Any, shapes: Shapes, weights: set[str], output: str) -> bool:
    if node.op_type in CONVOLUTIONS:
        return len(shapes.get(node.input[1], ())) == _AXES_1D
    if not weights.isdisjoint(node.input):
        return False  # this node relies on the shape, which changes
    if node.op_type in _BINARY:
        return all(_shape(shapes, name) in _BROADCAST for name in node.input)
    return node.op_type in _UNARY or (node.op_type in _CHANGE_AXES and output in node.output)


def _shape(shapes: Shapes, name: str) -> list[int] | None:
    found = shapes.get(name)
    return None if found is None else list(found)
