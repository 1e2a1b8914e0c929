"""Let the flow of an ONNX voice, which makes latent frames, compute the same with fewer multiplications.

What is linear is one matrix: the first layer of a coupling with the convolution before it, the skips with the one after
them. `flow_nodes` writes the rest.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.piper.onnx.flow_nodes import TAPS, Coupling, CouplingLayer, FlowNodes, FlowTensors
from voxmatrix.piper.onnx.graph_edits import Array, decoder_input, set_nodes, weights_of
from voxmatrix.piper.onnx.weights import layers as layers_of

#: Where its layers are in a voice.
_FLOW = "flow."
#: Operations that select channels.
_SELECTING = frozenset({"Gather", "Slice", "Split"})

#: Weights and biases of layers, by their path in a voice: "flows.6.pre".
Layers = Mapping[str, tuple[Array, Array]]


def replace_flow(model: Any, path: Path | None = None) -> bool:
    """Change this onnx.ModelProto. False, and no change: the flow is not Piper's, or not named as torch names it.

    `path` is the file that has those weights that are not in the model.
    """
    try:
        tensors, couplings = _of_piper(model, path)
    except (LookupError, ValueError):
        return False
    flow, nodes = FlowNodes(tensors, couplings).graph, list(model.graph.node)
    place = next(n for n, node in enumerate(nodes) if tensors.latent in node.output)
    nodes[place : place + 1] = flow.nodes
    set_nodes(model, nodes, flow.initializers.values())
    return True


def _of_piper(model: Any, path: Path | None) -> tuple[FlowTensors, list[Coupling]]:
    """The flow that torch has written, its matrices multiplied with each other.

    Raises:
        LookupError, ValueError: its nodes do not have the names that torch gives them, or it is not Piper's.
    """
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = {path.removeprefix(_FLOW): node for path, node, _ in layers_of(model) if path.startswith(_FLOW)}
    if not nodes:
        raise ValueError("no node has the name of a layer of the flow")
    if any(list(one.ints) != [1] for node in nodes.values() for one in node.attribute if one.name == "dilations"):
        raise ValueError("its convolutions are dilated")
    layers = {
        layer: (weights_of(initializers[node.input[1]], path), weights_of(initializers[node.input[2]], path))
        for layer, node in nodes.items()
    }
    first = nodes[f"flows.{max(map(_number, nodes))}.pre"]
    makers = {name: node for node in model.graph.node for name in node.output}
    frames = first.input[0]
    while frames in makers and makers[frames].op_type in _SELECTING:
        frames = makers[frames].input[0]
    factors = {name for node in model.graph.node if first.output[0] in node.input for name in node.input}
    (mask,) = factors - {first.output[0]}
    speakers = {node.input[0] for layer, node in nodes.items() if layer.endswith("cond_layer")}
    latent = decoder_input(model)
    if len(speakers) > 1 or latent not in makers:
        raise ValueError("several embeddings of the speaker, or no decoder")
    return FlowTensors(frames, mask, latent, next(iter(speakers), "")), _couplings(layers)


def _number(path: str) -> int:
    """The 6 in "flows.6.pre"."""
    return int(path.split(".")[1])


def _couplings(layers: Layers) -> list[Coupling]:
    """The couplings of these layers.

    Raises:
        LookupError, ValueError: they are not those of Piper's networks.
    """
    places = sorted(set(map(_number, layers)), reverse=True)
    if places != list(range(2 * len(places) - 2, -1, -2)) or len(places) % 2:
        raise ValueError(f"couplings at {places}")
    # The channels are reversed before each coupling: every second one has its weights reversed instead.
    return [_coupling(layers, f"flows.{place}.", reverse=number % 2 == 0) for number, place in enumerate(places)]


def _coupling(layers: Layers, prefix: str, *, reverse: bool) -> Coupling:
    before, before_bias = _matrix(layers, f"{prefix}pre")
    after, shift_bias = _matrix(layers, f"{prefix}post")
    if after.shape[0] != before.shape[1]:
        raise ValueError(f"{prefix} has {after.shape[0]} outputs for {before.shape[1]} channels")
    if reverse:
        before, after, shift_bias = before[:, ::-1], after[::-1], shift_bias[::-1]
    # Its bias is that of the mask, as one more channel.
    before = np.concatenate([before, before_bias[:, None]], 1)
    size, count = before.shape[0], sum(path.startswith(f"{prefix}enc.in_layers.") for path in layers)
    found = []
    for number in range(count):
        taps, bias = layers[path := f"{prefix}enc.in_layers.{number}"]
        if taps.shape != (2 * size, size, TAPS):
            raise ValueError(f"{path} has the shape {taps.shape}")
        if not number:
            taps = np.tensordot(taps.astype(np.float64), before, (1, 0)).transpose(0, 2, 1).astype(np.float32)
        mixed, mixed_bias = _matrix(layers, path.replace("in_layers", "res_skip_layers"))
        shift_bias = shift_bias + after @ mixed_bias[-size:]
        residual = (mixed[:size], mixed_bias[:size]) if number < count - 1 else (None, None)
        found.append(CouplingLayer(taps, bias, after @ mixed[-size:], *residual))
    speaker = _matrix(layers, path) if (path := f"{prefix}enc.cond_layer") in layers else (None, None)
    return Coupling(before, found, shift_bias, *speaker)


def _matrix(layers: Layers, path: str) -> tuple[Array, Array]:
    """The weight of a convolution with one tap, and its bias, in float64: they are multiplied with each other."""
    weight, bias = (one.astype(np.float64) for one in layers[path])
    if weight.ndim != 3 or weight.shape[2] != 1:
        raise ValueError(f"{path} has the shape {weight.shape}")
    return weight[:, :, 0], bias
