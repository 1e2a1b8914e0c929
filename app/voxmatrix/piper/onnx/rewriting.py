"""Let the first half of a voice compute the same with fewer operations: its text part, its flow and wide convolutions.

It takes half a second, so it is done once for a voice: `piper/onnx/cache.py`.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.piper.onnx.flow import replace_flow
from voxmatrix.piper.onnx.graph_edits import Array, decoder_input, inputs_of, set_nodes, weights_of
from voxmatrix.piper.onnx.text.replace import replace_text
from voxmatrix.piper.onnx.winograd import filter_convolutions

#: Operations on weights that are computed at once. Others make the numbers of shapes, which take no time.
_FOLDED = frozenset({"MatMul", "Reshape", "Split", "Transpose"})


def rewrite(model: Any, path: Path) -> bool:
    """Change this onnx.ModelProto, a part of the voice in `path`. False, and no change: there is nothing to replace."""
    replaced = [replace_text(model, path), replace_flow(model, path), filter_convolutions(model, decoder_input(model))]
    return fold_constants(model, path) or any(replaced)


def fold_constants(model: Any, path: Path) -> bool:
    """Replace the nodes of this onnx.ModelProto that compute weights from weights by what they compute.

    False, and no change: there are none.
    """
    from onnx import numpy_helper

    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    values: dict[str, Array] = {}
    others: list[Any] = []
    for node in model.graph.node:
        inputs = [values.get(name, tensors.get(name)) for name in node.input]
        if node.op_type in _FOLDED and all(one is not None for one in inputs):
            with suppress(LookupError, ValueError):  # a weight in another file, or an operation of another version
                arrays = [one if isinstance(one, np.ndarray) else weights_of(one, path) for one in inputs]
                values |= zip(node.output, _computed(node, arrays), strict=True)
                continue
        others.append(node)
    used = set().union(*map(inputs_of, others))
    new = [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in values.items() if name in used]
    if new:
        set_nodes(model, others, new)
    return bool(new)


def _computed(node: Any, inputs: list[Array]) -> list[Array]:
    """The outputs of a node with one of the operations `_FOLDED`."""
    from onnx import helper

    attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    x = inputs[0]
    if node.op_type == "MatMul":
        return [x @ inputs[1]]
    if node.op_type == "Transpose":
        return [x.transpose(attributes.get("perm"))]
    if node.op_type == "Split":
        return np.split(x, np.cumsum(inputs[1])[:-1], attributes.get("axis", 0))
    shape = [x.shape[axis] if not length else int(length) for axis, length in enumerate(inputs[1])]
    return [x.reshape(shape)]
