"""Let the layers of an ONNX voice that make samples, in one channel, compute many samples as so many channels.

They are its last convolution, or the transposed ones of an inverse Fourier transform. Libraries compute 8 or 16
channels together, so one alone takes as long as all of them.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.piper.onnx.graph_edits import Array, NewNodes, set_nodes, weights_of
from voxmatrix.piper.onnx.model_split import ModelPart

#: Samples that a convolution computes together. Numbers of samples must be multiples of it.
PHASES = 16
_LAYERS = ("Conv", "ConvTranspose")


def with_phases(part: ModelPart, path: Path) -> ModelPart | None:
    """The part of the voice in `path`, which has planes, with other nodes.

    None: it has no such layer, or its weights are not float32 or in another file.
    """
    import onnx

    model, new = onnx.ModelProto.FromString(part.model), NewNodes("phases/")
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes: list[Any] = []
    try:
        for node in model.graph.node:
            first = len(new.nodes)
            if _makes_samples(node, tensors):
                weight, *biases = (weights_of(tensors[name], path) for name in node.input[1:])
                _add_phases(node, weight, biases, new)
            nodes += new.nodes[first:] or [node]
    except ValueError:
        return None
    if not new.nodes:
        return None
    set_nodes(model, nodes, [*model.graph.initializer, *new.initializers.values()])
    return replace(part, model=model.SerializeToString())


def _makes_samples(node: Any, tensors: dict[str, Any]) -> bool:
    """Whether it is a layer of many channels to one, of height and dilation 1, and its output has no rest.

    A convolution makes as many samples as it is given, and a transposed one as many times as many as its stride says.
    """
    if node.op_type not in _LAYERS or not all(name in tensors for name in node.input[1:]):
        return False
    channels, made, *size = tensors[node.input[1]].dims
    if node.op_type == "Conv":
        channels, made = made, channels
    found = {one.name: list(one.ints) for one in node.attribute}
    strides, pads = found.get("strides", [1, 1]), found.get("pads", [])
    return (
        made == 1 < channels
        and size[:-1] == [1]
        and found.get("dilations", [1, 1]) == [1, 1]
        and (strides == [1, 1] or node.op_type == "ConvTranspose")
        and sum(pads) == size[-1] - strides[-1]
        and pads[::2] == [0, 0]
        and found.keys().isdisjoint({"auto_pad", "output_padding", "output_shape"})
    )


def _add_phases(node: Any, weight: Array, biases: list[Array], new: NewNodes) -> None:
    """Add nodes that compute the output of this one."""
    if weight.dtype != np.float32:
        raise ValueError("its weights are not float32")
    found = {one.name: list(one.ints) for one in node.attribute}
    if node.op_type == "Conv":
        phases, stride, pads = _of_convolution(weight), PHASES, found["pads"]
    else:
        phases, before, after = _of_transposed(weight, found["strides"][-1], found["pads"][1])
        stride, pads = 1, [0, before, 0, after]
    samples = new.add(
        "Conv",
        node.input[0],
        phases,
        *(np.repeat(bias, len(phases)) for bias in biases),
        kernel_shape=[1, phases.shape[-1]],
        strides=[1, stride],
        pads=pads,
    )
    samples = new.add("Transpose", samples, perm=[0, 2, 3, 1])
    new.add("Reshape", samples, [0, 1, 1, -1], output=node.output[0])


def _of_convolution(weight: Array) -> Array:
    """(1, channels, 1, taps) -> (phases, channels, 1, taps + phases - 1)."""
    _, channels, height, taps = weight.shape
    # Each channel has the taps one position later than the one before it.
    phases = np.zeros((PHASES, channels, height, taps + PHASES - 1), np.float32)
    for phase in range(PHASES):
        phases[phase, :, :, phase : phase + taps] = weight[0]
    return phases


def _of_transposed(weight: Array, stride: int, pad: int) -> tuple[Array, int, int]:
    """(channels, 1, 1, taps) -> (stride, channels, 1, positions), and the positions before and after that they need.

    Sample `stride * q + phase` is made from the positions q + d, each by its tap `phase + pad - stride * d`.
    """
    channels, _, height, taps = weight.shape
    first, last = -((taps - 1 - pad) // stride), (stride - 1 + pad) // stride
    phases = np.zeros((stride, channels, height, last - first + 1), np.float32)
    for phase in range(stride):
        for d in range(first, last + 1):
            tap = phase + pad - stride * d
            if 0 <= tap < taps:
                phases[phase, :, :, d - first] = weight[:, 0, :, tap]
    return phases, -first, last
