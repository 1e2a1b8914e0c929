"""The receptive field of layers that compute samples: the overlap that segments need on either side."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

#: A convolution of 8-bit integers, which `distil` writes with a height.
INT8_CONVOLUTION = "QLinearConv"
#: Element-wise operations.
_ELEMENTWISE = frozenset(
    {
        "Add", "Sub", "Mul", "Div", "Neg", "Pow", "Exp", "Sin", "Cos", "Clip", "Relu", "LeakyRelu", "Tanh", "Sigmoid",
        "Identity", "Cast", "QuantizeLinear", "DequantizeLinear",
    }
)  # fmt: skip
#: Operations that add or remove an axis of length one; the last axis stays last.
_AXES = frozenset({"Unsqueeze", "Squeeze"})


@dataclass(frozen=True)
class Layer:
    """A node of a graph, with the integer attributes (as in ONNX) of convolutions."""

    op_type: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class ReceptiveField:
    """`margin`: positions on either side that a sample depends on. `hop`: samples per position."""

    margin: int
    hop: int

    def window(self, start: int, end: int, length: int, step: int = 1) -> tuple[int, int]:
        """The positions that those from start to end depend on, of `length`. As many as a multiple of `step`, if so
        many there are.
        """
        first, last = max(0, start - self.margin), min(length, end + self.margin)
        first = max(0, first - (first - last) % step)
        return first, min(length, last + (first - last) % step)


@dataclass(frozen=True)
class _Reach:
    positions: float
    rate: int  # upsampling since the start


def receptive_field(layers: Iterable[Layer], ends: str, begins: str) -> ReceptiveField | None:
    """The receptive field from `begins` to the samples `ends`, or None if a layer may depend on all positions."""
    reached = {begins: _Reach(0.0, 1)}
    for layer in layers:
        before = [reached[name] for name in layer.inputs if name in reached]
        if not before:
            continue  # independent of `begins`, e.g. the embedding of the speaker
        after = _after(layer, before)
        if after is None:
            return None
        reached |= dict.fromkeys(layer.outputs, after)
    return ReceptiveField(math.ceil(reached[ends].positions), reached[ends].rate) if ends in reached else None


def _after(layer: Layer, before: Sequence[_Reach]) -> _Reach | None:
    rate = before[0].rate
    widest = _Reach(max(reach.positions for reach in before), rate)
    if any(reach.rate != rate for reach in before):
        return None
    if layer.op_type in _ELEMENTWISE | _AXES:
        return widest
    if layer.op_type in ("Conv", INT8_CONVOLUTION):
        return _convolved(layer, widest)
    return _upsampled(layer, widest) if layer.op_type == "ConvTranspose" else None


def _convolved(layer: Layer, reach: _Reach) -> _Reach | None:
    kernel, dilation = _one(layer, "kernel_shape"), _one(layer, "dilations", 1)
    beyond = dilation * (kernel - 1)
    if kernel < 1 or _one(layer, "strides", 1) != 1 or sum(layer.attributes.get("pads", (0, 0))) != beyond:
        return None
    return _Reach(reach.positions + max(layer.attributes.get("pads", (0, 0))) / reach.rate, reach.rate)


def _upsampled(layer: Layer, reach: _Reach) -> _Reach | None:
    kernel, stride = _one(layer, "kernel_shape"), _one(layer, "strides", 1)
    plain = _one(layer, "dilations", 1) == 1 and not any(layer.attributes.get("output_padding", ()))
    if kernel < 1 or not plain or kernel - sum(layer.attributes.get("pads", (0, 0))) != stride:
        return None
    return _Reach(reach.positions + kernel / stride / reach.rate, reach.rate * stride)


def _one(layer: Layer, name: str, absent: int = 0) -> int:
    """The element of a list attribute of a convolution that is 1-D, or has a height of one; 0 if it is another."""
    *height, value = layer.attributes.get(name, (absent,))
    return value if height in ([], [1]) else 0
