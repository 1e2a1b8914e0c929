"""The nodes of a flow, whose convolutions with five taps compute four frames at a time (`winograd`).

These are nearly all of its work, and need 8 multiplications for 20. Frames are kept as (b, 4, c, q), b sentences and c
channels: frame 4 q + r is at [:, r, :, q]. In rows, for libraries that multiply rows with constants, as (b, 4, q, c).
"""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import NamedTuple

from voxmatrix.speak.onnx.graph_edits import Array, NewNodes
from voxmatrix.voice.layers.winograd import filtering

#: The taps of a kernel.
TAPS = 5
#: How the names of nodes and constants start, unless in rows.
PREFIX = "flow/"
#: Frames computed at a time.
_FRAMES = 4
_HALO = TAPS // 2
_FILTERING = filtering(_FRAMES, TAPS)
_TIME = 1


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

    def __init__(self, tensors: FlowTensors, couplings: Sequence[Coupling], *, rows: bool = False) -> None:
        """Write them. In rows, they compute one sentence, of 4 q frames."""
        self.graph = graph = NewNodes("rows/" if rows else PREFIX)
        self._rows, self._speaker = rows, tensors.speaker
        self._channels = 3 if rows else 2  # the axis
        whole, length = self._whole(tensors)
        frames, self._mask = (
            graph.add(
                "Transpose",
                graph.add("Reshape", one, [0, 0, -1, _FRAMES]),
                perm=[0, 3, 2, 1] if rows else [0, 3, 1, 2],
            )
            for one in whole
        )
        size = len(couplings[0].shift_bias)
        halves = graph.split(graph.add("Mul", frames, self._mask), [size, size], self._channels)
        for number, coupling in enumerate(couplings):
            fixed = 1 - number % 2
            shift = self._shift(f"{number}/", coupling, halves[fixed])
            halves[1 - fixed] = graph.add("Mul", graph.add("Sub", halves[1 - fixed], shift), self._mask)
        joined = graph.add(
            "Transpose",
            graph.add("Concat", *halves, axis=self._channels),
            perm=[0, 3, 2, 1] if rows else [0, 2, 3, 1],
        )
        latent = graph.add("Reshape", joined, [0, 0, -1], output="" if length else tensors.latent)
        if length:
            graph.add("Slice", latent, [0], length, [2], output=tensors.latent)

    def _whole(self, tensors: FlowTensors) -> tuple[list[str], str]:
        """Frames and mask, of 4 q frames, and how many they were; "" if they were so many."""
        graph, given = self.graph, [tensors.frames, tensors.mask]
        if self._rows:
            return given, ""
        length = graph.add("Slice", graph.add("Shape", tensors.frames), [2], [3])
        missing = graph.add("Mod", graph.add("Neg", length), [_FRAMES])
        pads = graph.add("Concat", [0, 0, 0, 0, 0], missing, axis=0)
        return [graph.add("Pad", one, pads) for one in given], length

    def _shift(self, name: str, coupling: Coupling, fixed: str) -> str:
        """What one half of the channels is shifted by, computed from the other half. Both have the shape of a half."""
        graph = self.graph
        size = len(coupling.before)
        added = self._embeddings(name, coupling)
        taken = graph.add("Concat", fixed, self._mask, axis=self._channels)
        hidden, shift = self._times(f"{name}before", coupling.before, taken), ""
        for number, layer in enumerate(coupling.layers):
            inside = f"{name}{number}/"
            bias = self._bias(f"{inside}bias", layer.bias)
            if added:
                bias = graph.add("Add", bias, added[number])
            x = graph.add("Add", self._convolved(f"{inside}taps", taken, layer.taps), bias)
            signal, gate = graph.split(x, [size, size], self._channels)
            gated = graph.add("Mul", graph.add("Tanh", signal), graph.add("Sigmoid", gate))
            skip = self._times(f"{inside}skip", layer.skip, gated)
            shift = graph.add("Add", shift, skip) if shift else skip
            if layer.residual is not None and layer.residual_bias is not None:
                residual = graph.add(
                    "Add",
                    self._times(f"{inside}residual", layer.residual, gated),
                    self._bias(f"{inside}residual_bias", layer.residual_bias),
                )
                hidden = taken = graph.add("Mul", graph.add("Add", hidden, residual), self._mask)
        return graph.add("Add", shift, self._bias(f"{name}shift_bias", coupling.shift_bias))

    def _embeddings(self, name: str, coupling: Coupling) -> list[str]:
        """What the speaker adds to the channels of each layer; nothing for a voice with one speaker."""
        if coupling.speaker is None or coupling.speaker_bias is None:
            return []
        graph, layers, made = self.graph, len(coupling.layers), 2 * len(coupling.before)
        of_all = graph.add("MatMul", graph.constant(f"{name}speaker", coupling.speaker), self._speaker)
        of_all = graph.add("Add", of_all, graph.constant(f"{name}speaker_bias", coupling.speaker_bias[:, None]))
        shape = [0, layers, 1, made] if self._rows else [0, layers, made, 1]
        return graph.split(graph.add("Reshape", of_all, shape), [1] * layers, _TIME)

    def _times(self, name: str, matrix: Array, x: str) -> str:
        """(d, c) times the channels of x."""
        if self._rows:
            return self.graph.add("MatMul", x, self.graph.constant(name, matrix.T))
        return self.graph.add("MatMul", self.graph.constant(name, matrix), x)

    def _bias(self, name: str, bias: Array) -> str:
        return self.graph.constant(name, bias if self._rows else bias[:, None])

    def _convolved(self, name: str, x: str, taps: Array) -> str:
        """Channels c -> d, with (d, c, 5)."""
        graph, (made, channels, _) = self.graph, taps.shape
        # The four frames, with two before and two after them, are the inputs of four outputs. A pad below zero cuts.
        kept, q = _FRAMES - _HALO, 5 - self._channels
        earlier, later = [0] * 8, [0] * 8  # at the begin of each axis, then at the end of each
        earlier[_TIME], earlier[q], earlier[4 + q] = -kept, 1, -1
        later[4 + _TIME], later[q], later[4 + q] = -kept, -1, 1
        inputs = graph.add("Concat", graph.add("Pad", x, earlier), x, graph.add("Pad", x, later), axis=_TIME)
        kernel = taps.transpose(2, 0, 1).reshape(TAPS, -1)
        mixed, size = self._mixed(_FILTERING.before, inputs, channels), len(_FILTERING.before)
        if self._rows:
            # Of three axes: with four, OpenVINO multiplies them in float32.
            matrices = (_FILTERING.kernel @ kernel).reshape(size, made, channels).transpose(0, 2, 1)
            products = graph.add("MatMul", graph.add("Reshape", mixed, [size, -1, channels]), matrices)
            products = graph.add("Reshape", products, [1, size, -1, made])
        else:
            # The file has the taps, which are fewer: onnxruntime multiplies constants once, when it opens it.
            whole = graph.add("MatMul", _FILTERING.kernel, graph.constant(name, kernel))
            products = graph.add("MatMul", graph.add("Reshape", whole, [-1, made, channels]), mixed)
        return self._mixed(_FILTERING.after, products, made)

    def _mixed(self, matrix: Array, x: str, channels: int) -> str:
        """Mix times: (m, n) times the n times of x -> m times."""
        flat = self.graph.add("MatMul", matrix, self.graph.add("Reshape", x, [0, 0, -1]))
        return self.graph.add("Reshape", flat, [0, 0, -1, channels] if self._rows else [0, 0, channels, -1])


def couplings_of(constants: Mapping[str, Array]) -> list[Coupling]:
    """The couplings that have been written, by the constants of their file; empty if there are none."""
    found: list[Coupling] = []
    for number in count():
        name = f"{PREFIX}{number}/"
        if f"{name}before" not in constants:
            break
        own = {key.removeprefix(name): array for key, array in constants.items() if key.startswith(name)}
        layers = [_layer(own, f"{layer}/") for layer in range(sum(key.endswith("/taps") for key in own))]
        found.append(
            Coupling(own["before"], layers, own["shift_bias"][:, 0], own.get("speaker"), _flat(own.get("speaker_bias")))
        )
    return found


def _layer(own: Mapping[str, Array], name: str) -> CouplingLayer:
    bias = own[f"{name}bias"][:, 0]
    return CouplingLayer(
        own[f"{name}taps"].reshape(TAPS, len(bias), -1).transpose(1, 2, 0),
        bias,
        own[f"{name}skip"],
        own.get(f"{name}residual"),
        _flat(own.get(f"{name}residual_bias")),
    )


def _flat(bias: Array | None) -> Array | None:
    return None if bias is None else bias[:, 0]
