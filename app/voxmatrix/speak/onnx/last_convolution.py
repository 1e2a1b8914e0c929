"""Let the last convolution of an ONNX voice, which makes samples, compute 16 of them as 16 channels.

onnxruntime computes 8 or 16 channels together, so one channel alone takes as long as all of them.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.speak.onnx.graph_edits import NewNodes, set_nodes, weights_of
from voxmatrix.speak.onnx.model_split import ModelPart

#: Numbers of samples must be multiples of it.
PHASES = 16


def with_phases(part: ModelPart, path: Path) -> ModelPart | None:
    """The part of the voice in `path`, which has planes, with other nodes.

    None: it has no such convolution, or its weights are not float32 or in another file.
    """
    import onnx

    model, new = onnx.ModelProto.FromString(part.model), NewNodes("phases/")
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    found = [node for node in model.graph.node if _makes_samples(node, tensors)]
    if len(found) != 1:
        return None
    (node,) = found
    try:
        weight, *biases = (weights_of(tensors[name], path) for name in node.input[1:])
    except ValueError:
        return None
    if weight.dtype != np.float32:
        return None
    _, channels, height, taps = weight.shape
    # Each channel has the taps one position later than the one before it.
    phases = np.zeros((PHASES, channels, height, taps + PHASES - 1), np.float32)
    for phase in range(PHASES):
        phases[phase, :, :, phase : phase + taps] = weight[0]
    (pads,) = (one.ints for one in node.attribute if one.name == "pads")
    samples = new.add(
        "Conv",
        node.input[0],
        phases,
        *(np.repeat(bias, PHASES) for bias in biases),
        kernel_shape=[1, phases.shape[-1]],
        strides=[1, PHASES],
        pads=list(pads),
    )
    samples = new.add("Transpose", samples, perm=[0, 2, 3, 1])
    new.add("Reshape", samples, [0, 1, 1, -1], output=node.output[0])
    nodes = [one for given in model.graph.node for one in (new.nodes if given is node else [given])]
    set_nodes(model, nodes, [*model.graph.initializer, *new.initializers.values()])
    return replace(part, model=model.SerializeToString())


def _makes_samples(node: Any, tensors: dict[str, Any]) -> bool:
    """Whether it is a convolution of many channels to one, of height, stride and dilation 1."""
    if node.op_type != "Conv" or not all(name in tensors for name in node.input[1:]):
        return False
    made, channels, *size = tensors[node.input[1]].dims
    ones = all(list(one.ints) == [1, 1] for one in node.attribute if one.name in {"strides", "dilations"}) and any(
        one.name == "pads" for one in node.attribute
    )
    return made == 1 < channels and size[:-1] == [1] and ones
