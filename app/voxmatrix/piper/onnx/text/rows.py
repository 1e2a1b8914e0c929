"""Nodes for sequences in rows, (b, t, c): b sentences, t symbols, c channels. Their products need no transposition."""

from collections.abc import Iterable, Sequence

import numpy as np

from voxmatrix.piper.onnx.graph_edits import Array, NewNodes
from voxmatrix.vits.layers.constants import EPSILON

#: The number of a type of tensors, onnx.TensorProto.FLOAT.
FLOAT = 1


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
