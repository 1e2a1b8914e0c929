"""Let the flow of an ONNX voice, which makes latent frames, compute the same with fewer multiplications.

Its convolutions with five taps, nearly all of its work, compute four frames at a time (`winograd`): 8 multiplications
for 20. What is linear is one matrix: the first layer of a coupling with the convolution before it, the skips with the
one after them. Frames are kept as (b, 4, c, q), b sentences and c channels: frame 4 q + r is at [:, r, :, q].
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.speak.onnx.graph_edits import Array, NewNodes, decoder_input, set_nodes, weights_of
from voxmatrix.voice.layers.winograd import filtering

#: Frames computed at a time, and taps of a kernel.
_FRAMES, _TAPS = 4, 5
_HALO = _TAPS // 2
_FILTERING = filtering(_FRAMES, _TAPS)
#: The end of the name of a convolution of the flow: weights have no names of their own in some exports.
_LAYER = re.compile(r"\bflow/(flows\.\d+/.+)/Conv$")
#: Operations that select channels.
_SELECTING = frozenset({"Gather", "Slice", "Split"})
#: The axes of frames.
_TIME, _CHANNELS = 1, 2

#: Weights and biases of layers, by their path in a voice: "flows.6.pre".
Layers = Mapping[str, tuple[Array, Array]]


def replace_flow(model: Any, path: Path | None = None) -> bool:
    """Change this onnx.ModelProto. False, and no change: the flow is not Piper's, or not named as torch names it.

    `path` is the file that has those weights that are not in the model.
    """
    try:
        found = _find(model, path)
        flow = _Flow(found)
    except (LookupError, ValueError):
        return False
    nodes = list(model.graph.node)
    place = next(n for n, node in enumerate(nodes) if found.latent in node.output)
    nodes[place : place + 1] = flow.graph.nodes
    set_nodes(model, nodes, [*model.graph.initializer, *flow.graph.initializers.values()])
    return True


@dataclass(frozen=True)
class _Found:
    """The flow of a voice, and the names of its tensors. Shapes: c channels, f frames."""

    frames: str  # what it is given: (b, c, f)
    mask: str  # (b, 1, f) of zeros and ones
    latent: str  # what it makes: (b, c, f)
    speaker: str  # the embedding (b, s, 1); "" for a voice with one speaker
    layers: Layers


def _find(model: Any, path: Path | None) -> _Found:
    """Find the flow.

    Raises:
        LookupError, ValueError: its nodes do not have the names that torch gives them.
    """
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = {
        found[1].replace("/", "."): node for node in model.graph.node if (found := _LAYER.search(node.name)) is not None
    }
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
    return _Found(frames=frames, mask=mask, latent=latent, speaker=next(iter(speakers), ""), layers=layers)


def _number(path: str) -> int:
    """The 6 in "flows.6.pre"."""
    return int(path.split(".")[1])


class _Flow:
    """All couplings, from the text's frames to latent ones, as nodes."""

    def __init__(self, found: _Found) -> None:
        """Write them.

        Raises:
            LookupError, ValueError: the layers are not those of Piper's networks.
        """
        self.graph = graph = NewNodes("flow/")
        self._found = found
        places = sorted(set(map(_number, found.layers)), reverse=True)
        if places != list(range(2 * len(places) - 2, -1, -2)) or len(places) % 2:
            raise ValueError(f"couplings at {places}")
        length = graph.add("Slice", graph.add("Shape", found.frames), [2], [3])
        missing = graph.add("Mod", graph.add("Neg", length), [_FRAMES])
        pads = graph.add("Concat", [0, 0, 0, 0, 0], missing, axis=0)
        frames, self._mask = (
            graph.add(
                "Transpose", graph.add("Reshape", graph.add("Pad", one, pads), [0, 0, -1, _FRAMES]), perm=[0, 3, 1, 2]
            )
            for one in (found.frames, found.mask)
        )
        size = _matrix(found.layers, f"flows.{places[0]}.pre")[0].shape[1]
        halves = graph.split(graph.add("Mul", frames, self._mask), [size, size], _CHANNELS)
        # The channels are reversed before each coupling: every second one has its weights reversed instead.
        for number, place in enumerate(places):
            fixed = 1 - number % 2
            shift = self._coupling(f"flows.{place}.", halves[fixed], reverse=number % 2 == 0)
            halves[1 - fixed] = graph.add("Mul", graph.add("Sub", halves[1 - fixed], shift), self._mask)
        joined = graph.add("Transpose", graph.add("Concat", *halves, axis=_CHANNELS), perm=[0, 2, 3, 1])
        graph.add("Slice", graph.add("Reshape", joined, [0, 0, -1]), [0], length, [2], output=found.latent)

    def _coupling(self, prefix: str, fixed: str, *, reverse: bool) -> str:
        """What one half of the channels is shifted by, computed from the other half: (b, 4, c, q) -> (b, 4, c, q)."""
        graph, layers = self.graph, self._found.layers
        before, before_bias = _matrix(layers, f"{prefix}pre")
        after, shift_bias = _matrix(layers, f"{prefix}post")
        if after.shape[0] != before.shape[1]:
            raise ValueError(f"{prefix} has {after.shape[0]} outputs for {before.shape[1]} channels")
        if reverse:
            before, after, shift_bias = before[:, ::-1], after[::-1], shift_bias[::-1]
        # Its bias is that of the mask, as one more channel.
        before = np.concatenate([before, before_bias[:, None]], 1)
        size, count = before.shape[0], sum(path.startswith(f"{prefix}enc.in_layers.") for path in layers)
        embeddings = self._embeddings(f"{prefix}enc.cond_layer", 2 * size, count)
        taken = graph.add("Concat", fixed, self._mask, axis=_CHANNELS)
        hidden, shift = graph.add("MatMul", before, taken), ""
        for number in range(count):
            taps, bias = _weights(layers, path := f"{prefix}enc.in_layers.{number}")
            if taps.shape != (2 * size, size, _TAPS):
                raise ValueError(f"{path} has the shape {taps.shape}")
            if not number:
                taps = np.tensordot(taps, before, (1, 0)).transpose(0, 2, 1)
            added = graph.add("Add", bias[:, None], embeddings[number]) if embeddings else bias[:, None]
            x = graph.add("Add", self._convolved(taken, taps), added)
            signal, gate = graph.split(x, [size, size], _CHANNELS)
            gated = graph.add("Mul", graph.add("Tanh", signal), graph.add("Sigmoid", gate))
            mixed, mixed_bias = _matrix(layers, path.replace("in_layers", "res_skip_layers"))
            skip = graph.add("MatMul", after @ mixed[-size:], gated)
            shift_bias = shift_bias + after @ mixed_bias[-size:]
            shift = graph.add("Add", shift, skip) if shift else skip
            if number < count - 1:
                residual = graph.add("Add", graph.add("MatMul", mixed[:size], gated), mixed_bias[:size, None])
                hidden = taken = graph.add("Mul", graph.add("Add", hidden, residual), self._mask)
        return graph.add("Add", shift, shift_bias[:, None])

    def _embeddings(self, path: str, size: int, layers: int) -> list[str]:
        """What the speaker adds to each layer: (b, 1, size, 1); nothing for a voice with one speaker."""
        if not self._found.speaker:
            return []
        weight, bias = _matrix(self._found.layers, path)
        of_all = self.graph.add("Add", self.graph.add("MatMul", weight, self._found.speaker), bias[:, None])
        return self.graph.split(self.graph.add("Reshape", of_all, [0, layers, size, 1]), [1] * layers, _TIME)

    def _convolved(self, x: str, taps: Array) -> str:
        """(b, 4, c, q), (d, c, 5) -> (b, 4, d, q)."""
        graph, (made, channels, _) = self.graph, taps.shape
        # The four frames, with two before and two after them, are the inputs of four outputs. A pad below zero cuts.
        kept = _FRAMES - _HALO
        earlier = graph.add("Pad", x, [0, -kept, 0, 1, 0, 0, 0, -1])
        later = graph.add("Pad", x, [0, 0, 0, -1, 0, -kept, 0, 1])
        inputs = graph.add("Concat", earlier, x, later, axis=_TIME)
        # The file has the taps, which are fewer: onnxruntime multiplies constants once, when it opens it.
        kernel = graph.add("MatMul", _FILTERING.kernel, taps.transpose(2, 0, 1).reshape(_TAPS, -1))
        kernel = graph.add("Reshape", kernel, [-1, made, channels])
        return self._mixed(
            _FILTERING.after, graph.add("MatMul", kernel, self._mixed(_FILTERING.before, inputs, channels)), made
        )

    def _mixed(self, matrix: Array, x: str, channels: int) -> str:
        """Mix times: (m, n), (b, n, c, q) -> (b, m, c, q)."""
        flat = self.graph.add("Reshape", x, [0, 0, -1])
        return self.graph.add("Reshape", self.graph.add("MatMul", matrix, flat), [0, 0, channels, -1])


def _matrix(layers: Layers, path: str) -> tuple[Array, Array]:
    """The weight of a convolution with one tap, and its bias."""
    weight, bias = _weights(layers, path)
    if weight.ndim != 3 or weight.shape[2] != 1:
        raise ValueError(f"{path} has the shape {weight.shape}")
    return weight[:, :, 0], bias


def _weights(layers: Layers, path: str) -> tuple[Array, Array]:
    """Weight and bias in float64, in which they are multiplied with each other."""
    weight, bias = layers[path]
    return weight.astype(np.float64), bias.astype(np.float64)
