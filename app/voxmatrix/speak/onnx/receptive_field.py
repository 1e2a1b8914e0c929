"""How far the layers that make samples look to either side: so much must be given with a piece."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

#: Operations that look at one place only.
_PLACEWISE = frozenset(
    {"Add", "Sub", "Mul", "Div", "Neg", "Pow", "Exp", "Sin", "Relu", "LeakyRelu", "Tanh", "Sigmoid", "Identity", "Cast"}
)
#: They add or take an axis of length one; the last axis stays where it is.
_AXES = frozenset({"Unsqueeze", "Squeeze"})


@dataclass(frozen=True)
class Layer:
    """A node of a graph; of a convolution also the attributes that are lists of numbers, under the names of ONNX."""

    op_type: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class ReceptiveField:
    """Places to either side that one sample hangs on, and samples that come of one place."""

    margin: int
    hop: int


@dataclass(frozen=True)
class _Seen:
    places: float
    rate: int  # how much finer than where it began


def receptive_field(layers: Iterable[Layer], ends: str, begins: str) -> ReceptiveField | None:
    """The reach from `begins` to the samples `ends`, or None when some layer may look everywhere."""
    seen = {begins: _Seen(0.0, 1)}
    for layer in layers:
        before = [seen[name] for name in layer.inputs if name in seen]
        if not before:
            continue  # it does not hang on `begins`, e.g. what the speaker adds
        after = _after(layer, before)
        if after is None:
            return None
        seen |= dict.fromkeys(layer.outputs, after)
    return ReceptiveField(math.ceil(seen[ends].places), seen[ends].rate) if ends in seen else None


def _after(layer: Layer, before: Sequence[_Seen]) -> _Seen | None:
    rate = before[0].rate
    widest = _Seen(max(one.places for one in before), rate)
    if any(one.rate != rate for one in before):
        return None
    if layer.op_type in _PLACEWISE | _AXES:
        return widest
    if layer.op_type == "Conv":
        return _convolved(layer, widest)
    return _upsampled(layer, widest) if layer.op_type == "ConvTranspose" else None


def _convolved(layer: Layer, seen: _Seen) -> _Seen | None:
    kernel, dilation = _one(layer, "kernel_shape"), _one(layer, "dilations", 1)
    beyond = dilation * (kernel - 1)
    if kernel < 1 or _one(layer, "strides", 1) != 1 or sum(layer.attributes.get("pads", (0, 0))) != beyond:
        return None
    return _Seen(seen.places + max(layer.attributes.get("pads", (0, 0))) / seen.rate, seen.rate)


def _upsampled(layer: Layer, seen: _Seen) -> _Seen | None:
    kernel, stride = _one(layer, "kernel_shape"), _one(layer, "strides", 1)
    plain = _one(layer, "dilations", 1) == 1 and not any(layer.attributes.get("output_padding", ()))
    if kernel < 1 or not plain or kernel - sum(layer.attributes.get("pads", (0, 0))) != stride:
        return None
    return _Seen(seen.places + kernel / stride / seen.rate, seen.rate * stride)


def _one(layer: Layer, name: str, absent: int = 0) -> int:
    """The number of a list that must have one: these are convolutions over time alone."""
    values = layer.attributes.get(name, (absent,))
    return values[0] if len(values) == 1 else 0
