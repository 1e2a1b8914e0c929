"""The nodes of a flow, whose convolutions with five taps compute neighbouring frames together (`winograd`).

These are nearly all of its work, and need 10 multiplications for 6 frames, that is for 30. Frames are kept in rows, as
(b, n, q, c), b sentences, n frames together and c channels: frame n q + r is at [:, r, q]. Libraries arrange constants
once that rows are multiplied with.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from voxmatrix.piper.onnx.graph_edits import Array, NewNodes
from voxmatrix.vits.layers.winograd import filtering

#: The taps of a kernel.
TAPS = 5
#: How the names of nodes and constants start.
PREFIX = "flow/"
#: Frames computed together.
_FRAMES = 6
_HALO = TAPS // 2
_TIME, _PLACE, _CHANNELS = 1, 2, 3  # axes


class CouplingLayer(NamedTuple):
    """A convolution, its gate, and what the result is added to. h channels."""

    taps: Array  # (2 h, h, 5); of the first layer (2 h, c + 1, 5)
    bias: Array  # (2 h,)
    skip: Array  # (c, h), to the shift
    residual: Array | None  # (h, h), to the next layer; None of the last one
    residual_bias: Array | None  # (h,)


class Coupling(NamedTuple):
    """One half of the channels is shifted by what layers make of the other half. c channels of a half, h inside."""

    before: Array  # (h, c + 1): the last is a bias, for the mask
    layers: Sequence[CouplingLayer]
    shift_bias: Array  # (c,)
    speaker: Array | None  # (2 h layers, s), added to the layers; None for a voice with one speaker
    speaker_bias: Array | None  # (2 h layers,)


class FlowTensors(NamedTuple):
    """The names of its tensors. b sentences, c channels, f frames, s channels of the speaker."""

    frames: str  # what it is given: (b, c, f)
    mask: str  # (b, 1, f) of zeros and ones
    latent: str  # what it makes: (b, c, f)
    speaker: str  # the embedding (b, s, 1); "" for a voice with one speaker


class FlowNodes:
    """All couplings, from the text's frames to latent ones. An even number of couplings."""

    def __init__(self, tensors: FlowTensors, couplings: Sequence[Coupling]) -> None:
        self.graph = graph = NewNodes(PREFIX)
        self._speaker = tensors.speaker
        self._filtering = filtering(_FRAMES, TAPS)
        whole, length = self._whole(tensors)
        frames, self._mask = (
            graph.add("Transpose", graph.add("Reshape", one, [0, 0, -1, _FRAMES]), perm=[0, 3, 2, 1]) for one in whole
        )
        size = len(couplings[0].shift_bias)
        halves = graph.split(graph.add("Mul", frames, self._mask), [size, size], _CHANNELS)
        for number, coupling in enumerate(couplings):
            fixed = 1 - number % 2
            shift = self._shift(f"{number}/", coupling, halves[fixed])
            halves[1 - fixed] = graph.add("Mul", graph.add("Sub", halves[1 - fixed], shift), self._mask)
        joined = graph.add("Transpose", graph.add("Concat", *halves, axis=_CHANNELS), perm=[0, 3, 2, 1])
        latent = graph.add("Reshape", joined, [0, 0, -1])
        graph.add("Slice", latent, [0], length, [2], output=tensors.latent)

    def _whole(self, tensors: FlowTensors) -> tuple[list[str], str]:
        """Frames and mask, of n q frames, and how many they were."""
        graph, given = self.graph, [tensors.frames, tensors.mask]
        length = graph.add("Slice", graph.add("Shape", tensors.frames), [2], [3])
        missing = graph.add("Mod", graph.add("Neg", length), [_FRAMES])
        pads = graph.add("Concat", [0, 0, 0, 0, 0], missing, axis=0)
        return [graph.add("Pad", one, pads) for one in given], length

    def _shift(self, name: str, coupling: Coupling, fixed: str) -> str:
        """What one half of the channels is shifted by, computed from the other half. Both have the shape of a half."""
        graph = self.graph
        size = len(coupling.before)
        added = self._embeddings(name, coupling)
        taken = graph.add("Concat", fixed, self._mask, axis=_CHANNELS)
        hidden, shift = self._times(f"{name}before", coupling.before, taken), ""
        for number, layer in enumerate(coupling.layers):
            inside = f"{name}{number}/"
            bias = graph.constant(f"{inside}bias", layer.bias)
            if added:
                bias = graph.add("Add", bias, added[number])
            x = self._convolved(f"{inside}taps", taken, layer.taps, bias)
            signal, gate = graph.split(x, [size, size], _CHANNELS)
            gated = graph.add("Mul", graph.add("Tanh", signal), graph.add("Sigmoid", gate))
            skip = self._times(f"{inside}skip", layer.skip, gated)
            shift = graph.add("Add", shift, skip) if shift else skip
            if layer.residual is not None and layer.residual_bias is not None:
                residual = graph.add(
                    "Add",
                    self._times(f"{inside}residual", layer.residual, gated),
                    graph.constant(f"{inside}residual_bias", layer.residual_bias),
                )
                hidden = taken = graph.add("Mul", graph.add("Add", hidden, residual), self._mask)
        return graph.add("Add", shift, graph.constant(f"{name}shift_bias", coupling.shift_bias))

    def _embeddings(self, name: str, coupling: Coupling) -> list[str]:
        """What the speaker adds to the channels of each layer; nothing for a voice with one speaker."""
        if coupling.speaker is None or coupling.speaker_bias is None:
            return []
        graph, layers, made = self.graph, len(coupling.layers), 2 * len(coupling.before)
        of_all = graph.add("MatMul", graph.constant(f"{name}speaker", coupling.speaker), self._speaker)
        of_all = graph.add("Add", of_all, graph.constant(f"{name}speaker_bias", coupling.speaker_bias[:, None]))
        return graph.split(graph.add("Reshape", of_all, [0, layers, 1, made]), [1] * layers, _TIME)

    def _times(self, name: str, matrix: Array, x: str) -> str:
        """(d, c) times the channels of x."""
        return self.graph.add("MatMul", x, self.graph.constant(name, matrix.T))

    def _convolved(self, name: str, x: str, taps: Array, bias: str) -> str:
        """Channels c -> d, with (d, c, 5), plus the bias."""
        graph, (made, channels, _) = self.graph, taps.shape
        # The frames, with two before and two after them, are the inputs. A pad below zero cuts.
        kept = _FRAMES - _HALO
        earlier, later = [0] * 8, [0] * 8  # at the begin of each axis, then at the end of each
        earlier[_TIME], earlier[_PLACE], earlier[4 + _PLACE] = -kept, 1, -1
        later[4 + _TIME], later[_PLACE], later[4 + _PLACE] = -kept, -1, 1
        inputs = graph.add("Concat", graph.add("Pad", x, earlier), x, graph.add("Pad", x, later), axis=_TIME)
        mixed = self._mixed(self._filtering.before, inputs, channels)
        kernel = taps.transpose(2, 1, 0).reshape(TAPS, -1)
        # The file has the taps, which are fewer: onnxruntime multiplies constants once, when it opens it.
        whole = graph.add("MatMul", self._filtering.kernel, graph.constant(name, kernel))
        products = self._products(mixed, graph.add("Reshape", whole, [-1, made]), bias, channels)
        return self._mixed(self._filtering.after, products, made)

    def _products(self, mixed: str, matrices: str, bias: str, channels: int) -> str:
        """(b, a, q, c) times a matrices, (a c, d), which onnxruntime arranges if each is a tensor of its own."""
        graph, size = self.graph, len(self._filtering.before)
        pairs = zip(graph.split(mixed, [1] * size, _TIME), graph.split(matrices, [channels] * size, 0), strict=True)
        products = [graph.add("MatMul", rows, matrix) for rows, matrix in pairs]
        in_all = int(np.argmax((self._filtering.after == 1).all(0)))  # the product that is a part of all frames
        products[in_all] = graph.add("Add", products[in_all], bias)
        return graph.add("Concat", *products, axis=_TIME)

    def _mixed(self, matrix: Array, x: str, channels: int) -> str:
        """Mix times: (m, n) times the n times of x -> m times."""
        flat = self.graph.add("MatMul", matrix, self.graph.add("Reshape", x, [0, 0, -1]))
        return self.graph.add("Reshape", flat, [0, 0, -1, channels])
