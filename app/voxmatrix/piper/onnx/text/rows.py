"""Nodes for sequences in rows, (b, t, c): b sentences, t symbols, c channels. Their products need no transposition.

Among them are those for the inverse of monotonic rational-quadratic splines (`vits/layers/splines.py`).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from voxmatrix.piper.onnx.graph_edits import Array, NewNodes
from voxmatrix.vits.layers.constants import BINS, EDGE_SLOPE, EPSILON, MINIMUM, TAIL

#: How the names of constants start.
PREFIX = "text/"
#: The number of a type of tensors, onnx.TensorProto.FLOAT.
FLOAT = 1
#: The shares (BINS,) of all bins times this, and then this added, are their lower edges and their sizes (2 BINS,).
_TO_EDGES = 2 * TAIL * (1 - MINIMUM * BINS) * np.concatenate([np.triu(np.ones((BINS, BINS)), 1), np.eye(BINS)], axis=1)
_MIN_EDGES = np.concatenate([2 * TAIL * MINIMUM * np.arange(BINS) - TAIL, np.full(BINS, 2 * TAIL * MINIMUM)])


def count_layers(weights: Iterable[str], path: str) -> int:
    """The number of layers in this path, by the names of weights such as "encoder.attn_layers.3.conv_q.bias".

    Raises:
        ValueError: there is none, or one between others is missing.
    """
    inside = (name.removeprefix(f"{path}.").split(".") for name in weights if name.startswith(f"{path}."))
    numbers = {int(part) for parts in inside for part in parts if part.isdigit()}
    if not numbers or numbers != set(range(len(numbers))):
        raise ValueError(f"layers {sorted(numbers)} in {path}")
    return len(numbers)


class RowNodes(NewNodes):
    """Nodes and constants of layers."""

    def linear(self, name: str, x: str, weight: Array, bias: Array) -> str:
        """(b, t, c) -> (b, t, d) by weight (c, d) and bias (d,)."""
        return self.add("Add", self.times(name, x, weight), self.constant(f"{name}.bias", bias))

    def times(self, name: str, x: str, weight: Array) -> str:
        """(b, t, c) -> (b, t, d) by weight (c, d)."""
        return self.add("MatMul", x, self.constant(f"{name}.weight", weight))

    def norm(self, name: str, x: str, scale: Array, bias: Array) -> str:
        """Normalise the channels."""
        constants = self.constant(f"{name}.gamma", scale), self.constant(f"{name}.beta", bias)
        return self.add("LayerNormalization", x, *constants, axis=-1, epsilon=EPSILON)

    def shifted(self, x: str, symbols: int) -> str:
        """Each symbol has what was that many symbols before it, or zero."""
        more, fewer = max(symbols, 0), max(-symbols, 0)
        return self.add("Pad", x, [0, more - fewer, 0, 0, fewer - more, 0])  # a pad below zero cuts

    def number(self, value: float) -> str:
        """A constant for any shape."""
        return self.constant(f"number/{value}", np.array(value))

    def integer(self, value: int) -> str:
        """A constant index."""
        return self.constant(f"integer/{value}", np.array(value), np.int64)

    def reshape(self, x: str, shape: Sequence[int]) -> str:
        """A length of 0 is as it was; -1 is what is left."""
        return self.add("Reshape", x, shape)


def spline_columns(matrix: Array, scale: float) -> Array:
    """The weight or bias (..., 3 BINS - 1) of what makes splines, for `inverse_spline`: (..., 4 BINS).

    It makes widths and heights of all bins, divided by `scale`, their slopes at the left, and those at the right.
    """
    sizes, inner = np.split(matrix, [2 * BINS], axis=-1)
    edge = np.full((*matrix.shape[:-1], 1), EDGE_SLOPE if matrix.ndim == 1 else 0.0)
    return np.concatenate([sizes / scale, edge, inner, inner, edge], -1)


def inverse_spline(graph: RowNodes, shape: str, y: str) -> str:
    """Nodes for y (b, t, 1) -> (b, t, 1) by the splines of `shape` (b, t, 4 BINS)."""
    sizes, slopes = graph.split(shape, [2 * BINS, 2 * BINS], 2)
    shares = graph.add("Softmax", graph.reshape(sizes, [0, 0, 2, BINS]), axis=-1)
    edges = graph.add("Add", graph.times("edges", shares, _TO_EDGES), graph.constant("edges.least", _MIN_EDGES))
    slopes = graph.add("Add", graph.add("Softplus", slopes), graph.number(MINIMUM))
    table = graph.add(
        "Concat", graph.reshape(edges, [0, 0, 4, BINS]), graph.reshape(slopes, [0, 0, 2, BINS]), axis=2
    )  # (b, t, 6, BINS): x, width, y, height, left and right slope
    clamped = graph.add("Clip", y, graph.number(-TAIL), graph.number(TAIL))
    lower = graph.reshape(graph.add("Slice", table, [2], [3], [2]), [0, 0, BINS])
    above = graph.add("Cast", graph.add("GreaterOrEqual", clamped, lower), to=FLOAT)
    # 1 for the bin of y, else 0: those at least as low, less those before them.
    chosen = graph.add("Sub", above, graph.add("Pad", above, [0, 0, -1, 0, 0, 1]))
    columns = graph.reshape(graph.add("MatMul", table, graph.reshape(chosen, [0, 0, BINS, 1])), [0, 0, 6])
    made = _inside(graph, clamped, _Bin(*graph.split(columns, [1] * 6, 2)))
    return graph.add("Where", graph.add("Equal", clamped, y), made, y)


class _Bin(NamedTuple):
    """The bin of each symbol, tensors (b, t, 1): its lower left corner, its size and the slopes at both edges."""

    x: str
    width: str
    y: str
    height: str
    left_slope: str
    right_slope: str


def _inside(graph: RowNodes, y: str, b: _Bin) -> str:
    """The x of what is in these bins, as `voxmatrix.vits.layers.splines` computes it."""
    two = graph.number(2.0)
    slope = graph.add("Div", b.height, b.width)
    rise = graph.add("Sub", y, b.y)
    curve = graph.add("Sub", graph.add("Add", b.left_slope, b.right_slope), graph.add("Mul", two, slope))
    bend = graph.add("Mul", rise, curve)
    a2 = graph.add("Add", graph.add("Mul", b.height, graph.add("Sub", slope, b.left_slope)), bend)
    a1 = graph.add("Sub", graph.add("Mul", b.height, b.left_slope), bend)
    a0 = graph.add("Mul", slope, rise)  # negated
    product = graph.add("Mul", graph.add("Mul", graph.number(4.0), a2), a0)
    root = graph.add("Sqrt", graph.add("Relu", graph.add("Add", graph.add("Mul", a1, a1), product)))
    place = graph.add("Div", graph.add("Mul", two, a0), graph.add("Add", a1, root))
    return graph.add("Add", b.x, graph.add("Mul", place, b.width))
