"""Let the fast network multiply 8-bit integers, in half of the time of float32.

What stays in float32 is little work: the first convolution, whose outputs differ most, the head for low frequencies,
whose errors decide about the pitch, and the inverse Fourier transforms, whose spectra are loud and quiet at once.

Affine quantisation (Jacob et al. 2018, arXiv 1712.05877): a number is a scale times (an integer less a zero point).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from voxmatrix.distil.decoder.corpus import CorpusSentence
from voxmatrix.distil.decoder.network import FastDecoder
from voxmatrix.piper.onnx.graph_edits import Array, NewNodes, set_nodes, weights_of
from voxmatrix.piper.onnx.original import INT8, phase_positions

#: Layers that are computed in float32.
_FLOAT32 = ("dec.conv_pre", "dec.cond", "dec.low_head.")
#: The largest 8-bit weight, and the largest sum of two neighbours: CPUs without VNNI add two products with inputs of 8
#: bits in 16, which overflow with larger ones.
_MAX = 127
#: The largest bias, which has 32 bits and is added to a sum.
_MAX_BIAS = 2.0**30
#: Steps from the smallest number that a layer is given to the largest one, and of what it makes from 0 to the largest.
_STEPS, _STEPS_MADE = 255, 127
#: Of a layer whose numbers are all zero: a scale must not be.
_MIN_SCALE = 1e-8


class Range(NamedTuple):
    """The smallest and the largest number in each channel: (c,)."""

    low: Array
    high: Array

    def joined(self, other: "Range") -> "Range":
        """The range of both."""
        return Range(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


class Ranges(NamedTuple):
    """Of the numbers that a layer is given, and of those that it makes."""

    given: Range
    made: Range


def measure(student: FastDecoder, utterances: Iterable[CorpusSentence]) -> dict[str, Ranges]:
    """The ranges of all layers that are computed with integers, by their paths, in these utterances."""
    found: dict[str, Ranges] = {}

    def look(path: str, layer: nn.Module, given: tuple[Tensor], made: Tensor) -> None:
        ranges = Ranges(_range(given[0]), _range(made))
        before = found.get(path, ranges)
        found[path] = Ranges(ranges.given.joined(before.given), ranges.made.joined(before.made))

    layers = [
        (path, layer)
        for path, layer in student.named_modules()
        if isinstance(layer, (nn.Conv1d, nn.ConvTranspose1d)) and not path.startswith(_FLOAT32)
    ]
    hooks = [layer.register_forward_hook(partial(look, path)) for path, layer in layers]
    try:
        with torch.inference_mode():
            for one in utterances:
                student.speak(one)
    finally:
        for hook in hooks:
            hook.remove()
    return found


def to_int8(model: Any, ranges: Mapping[str, Ranges]) -> None:
    """Change the layers with these ranges in this onnx.ModelProto, whose convolutions are 2-D (b, c, 1, t)."""
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    new = _Int8Nodes()
    nodes: list[Any] = []
    for node in model.graph.node:
        convert = _OPERATIONS.get(node.op_type)
        path = _layer(node.input[1], ranges) if convert else ""
        if convert and path:
            first = len(new.nodes)
            weight, bias = (weights_of(weights[name]) for name in node.input[1:])
            convert(new, node, path, weight, bias, ranges[path])
            nodes += new.nodes[first:]
        else:
            nodes.append(node)
    set_nodes(model, nodes, new.initializers.values())


class _Scale(NamedTuple):
    """The numbers of a tensor in 8 bits, of all its channels: `size` times (integer - `zero`)."""

    size: np.float32
    zero: np.uint8

    @classmethod
    def of(cls, found: Range) -> "_Scale":
        """The scale for these numbers, in which 0.0 is an integer."""
        low, high = min(0.0, float(found.low.min())), max(0.0, float(found.high.max()))
        size = max((high - low) / _STEPS, _MIN_SCALE)
        return cls(np.float32(size), np.uint8(round(-low / size)))


#: Of what a layer makes, whose channels are divided by their sizes.
_MADE = _Scale(np.float32(1), np.uint8(_STEPS_MADE + 1))


class _Int8Nodes(NewNodes):
    def __init__(self) -> None:
        super().__init__(INT8)
        self._quantised: dict[str, str] = {}  # by their inputs

    def convolve(self, node: Any, path: str, weight: Array, bias: Array, ranges: Ranges) -> None:
        """Nodes for a convolution, weight (d, c, 1, taps)."""
        attributes = {one.name: list(one.ints) for one in node.attribute if one.ints}
        x, given, factors = self._quantise(node.input[0], ranges.given)
        sizes = _channel_sizes(ranges.made)
        y = self._convolved(path, x, (given, sizes), weight * factors[:, None, None], bias, **attributes)
        self._dequantise(y, sizes, node.output[0])

    def upsample(self, node: Any, path: str, weight: Array, bias: Array, ranges: Ranges) -> None:
        """Nodes for a transposed convolution, weight (c, d, 1, taps).

        Sample `stride * q + phase` is made of the positions q + k, each by its tap `phase + pad - stride * k`: those
        with the same k are one convolution, and their outputs are interleaved.
        """
        attributes = {one.name: list(one.ints) for one in node.attribute if one.ints}
        (_, stride), (_, pad, _, _) = attributes["strides"], attributes["pads"]
        channels, made, _, taps = weight.shape
        x, given, factors = self._quantise(node.input[0], ranges.given)
        sizes = _channel_sizes(ranges.made)
        weight = weight * factors[:, None, None, None]

        parts: list[str] = []
        for (first, last), phases in groupby(range(stride), partial(phase_positions, taps, stride, pad)):
            columns = [
                [weight[:, :, 0, phase + pad - stride * k] for k in range(first, last + 1)] for phase in phases
            ]  # (phases, positions, c, d)
            of_phases = np.array(columns).transpose(0, 3, 2, 1).reshape(-1, channels, 1, last - first + 1)
            repeated, scales = np.tile(bias, len(columns)), (given, np.tile(sizes, len(columns)))
            where = {"kernel_shape": [1, last - first + 1], "pads": [0, -first, 0, last]}
            parts.append(self._convolved(f"{path}.{len(parts)}", x, scales, of_phases, repeated, **where))
        together = self.add("Reshape", self.add("Concat", *parts, axis=1), [0, stride, made, -1])
        samples = self.add("Reshape", self.add("Transpose", together, perm=[0, 2, 3, 1]), [0, made, 1, -1])
        self._dequantise(samples, sizes, node.output[0])

    def _convolved(
        self, path: str, x: str, scales: tuple[_Scale, Array], weight: Array, bias: Array, **attributes: Any
    ) -> str:
        given, made = scales
        # A channel may have a bias and hardly any weights: the bias has 32 bits.
        sizes = np.maximum(_weight_sizes(weight), np.abs(bias) / (given.size * _MAX_BIAS))
        sizes = np.maximum(sizes, _MIN_SCALE).astype(np.float32)
        integers = np.round(weight / sizes[:, None, None, None])
        return self.add(
            "QLinearConv",
            x,
            *self._constants(given),
            self.constant(f"{path}.weight", integers, np.int8),
            self.constant(f"{path}.scales", sizes / made),
            self.constant(f"{path}.zeros", np.zeros(len(sizes)), np.int8),
            *self._constants(_MADE),
            self.constant(f"{path}.bias", np.round(bias / (given.size * sizes)), np.int32),
            **attributes,
        )

    def _quantise(self, x: str, found: Range) -> tuple[str, _Scale, Array]:
        """The integers of x, their scale, and what each channel was divided by.

        Some channels are far louder than others. Divided by the roots of their largest numbers, the loud ones are less
        so, and so are the weights that they are multiplied with (Xiao et al. 2023, arXiv 2211.10438).
        """
        factors = np.sqrt(np.maximum(np.maximum(-found.low, found.high), _MIN_SCALE)).astype(np.float32)
        scale = _Scale.of(Range(found.low / factors, found.high / factors))
        if x not in self._quantised:  # several layers have the same input
            divided = self.add("Mul", x, (1 / factors)[:, None, None])
            self._quantised[x] = self.add("QuantizeLinear", divided, *self._constants(scale))
        return self._quantised[x], scale, factors

    def _dequantise(self, x: str, sizes: Array, output: str) -> None:
        """The numbers, each channel times its size: as scales of DequantizeLinear it would take five times as long."""
        divided = self.add("DequantizeLinear", x, *self._constants(_MADE))
        self.add("Mul", divided, sizes[:, None, None], output=output)

    def _constants(self, scale: _Scale) -> tuple[str, str]:
        size = self.constant(f"size/{scale.size}", np.array(scale.size))
        return size, self.constant(f"zero/{scale.zero}", np.array(scale.zero), np.uint8)


_Convert = Callable[[_Int8Nodes, Any, str, Array, Array, Ranges], None]
_OPERATIONS: dict[str, _Convert] = {"Conv": _Int8Nodes.convolve, "ConvTranspose": _Int8Nodes.upsample}


def _channel_sizes(found: Range) -> Array:
    """What each channel is divided by, so that its numbers are -127 to 127."""
    sizes: Array = np.maximum(np.maximum(-found.low, found.high) / _STEPS_MADE, _MIN_SCALE).astype(np.float32)
    return sizes


def _weight_sizes(weight: Array) -> Array:
    """What the weights of each channel that they make are divided by: (d, c, 1, taps) -> (d,).

    Neighbours are those of a CPU that multiplies all taps of a channel one after the other, or all channels of a tap.
    """
    magnitudes = np.abs(weight)
    orders = [one.reshape(len(weight), -1) for one in (magnitudes, np.swapaxes(magnitudes, 1, 3))]
    pairs = [(one[:, 1:] + one[:, :-1]).max(1, initial=0.0) for one in orders]
    sizes: Array = np.maximum(orders[0].max(1), np.maximum(*pairs)) / _MAX
    return sizes


def _layer(weight: str, ranges: Mapping[str, Ranges]) -> str:
    """The path of the layer with this weight, "fast/dec.trunk.0.weight"; "" if it has no ranges."""
    path = weight.rpartition("/")[2].removesuffix(".weight")
    return path if path in ranges else ""


def _range(x: Tensor) -> Range:
    low, high = torch.aminmax(x[0], dim=1)
    return Range(low.numpy(), high.numpy())
