"""Let the fast decoder of an ONNX voice compute in planes: two-dimensional convolutions with a height of one, for which
onnxruntime has faster code. The same convolutions of the part that reads text would gain nothing (measured)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from voxmatrix.piper.onnx.conv1d_as_conv2d import CONVOLUTIONS, HEIGHT
from voxmatrix.piper.onnx.graph_edits import SPEAKER_WEIGHT, decoder_input, needed, rename, set_nodes

_HEIGHT_AXIS = "planes/height_axis"


def decoder_to_planes(model: Any) -> None:
    """Change the decoder of this onnx.ModelProto, all of whose axes are 0 or 1. Samples become (b, 1, 1, n)."""
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
    planes = {name: f"planes/{name}" for name in given}
    rename(decoder, planes)
    _add_heights(decoder, model.graph.initializer)
    added = [onnx.helper.make_node("Unsqueeze", [name, _HEIGHT_AXIS], [plane]) for name, plane in planes.items()]
    axis = onnx.numpy_helper.from_array(np.array([2], dtype=np.int64), _HEIGHT_AXIS)
    set_nodes(model, [*before, *added, *decoder[::-1]], [*model.graph.initializer, axis])


def _add_heights(nodes: Iterable[Any], initializers: Iterable[Any]) -> None:
    weights = {tensor.name: tensor for tensor in initializers}
    for node in nodes:
        if node.op_type in CONVOLUTIONS:
            weights[node.input[1]].dims.insert(2, 1)
            for attribute in node.attribute:
                if attribute.name == "pads":
                    before, after = attribute.ints
                    attribute.ints[:] = [0, before, 0, after]
                elif attribute.name in HEIGHT:
                    attribute.ints[:] = [*HEIGHT[attribute.name], *attribute.ints]
