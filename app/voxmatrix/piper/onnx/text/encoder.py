"""The text encoder: a transformer with relative positions (`vits/layers/attention.py`)."""

from collections.abc import Mapping

import numpy as np

from voxmatrix.piper.onnx.graph_edits import Array
from voxmatrix.piper.onnx.text.rows import FLOAT, RowNodes, count_layers
from voxmatrix.vits.layers.constants import WINDOW

#: The score of symbols that do not exist.
_NEVER = -1e4
#: Distances with an embedding.
_REACH = 2 * WINDOW + 1


class EncoderNodes:
    """From symbols to hidden rows. b sentences, t symbols, c channels.

    After `write`, `rows` and `mask` are tensors (b, t, c) and (b, t, 1).
    """

    rows: str
    mask: str

    def __init__(self, graph: RowNodes, weights: Mapping[str, Array], ids: str, lengths: str) -> None:
        """ids (b, t), lengths (b,). weights: by their names in a checkpoint, after "enc_p."."""
        self.graph, self._weights, self._ids, self._lengths = graph, weights, ids, lengths

    def write(self, mask: str, hidden: str) -> None:
        """Make the tensors `mask`, (b, 1, t) of ones and zeros, and `hidden`, (b, c, t)."""
        graph = self.graph
        length = graph.add("Slice", graph.add("Shape", self._ids), [1], [2])
        self._lengths_of_symbols(length)
        places = graph.add("Range", graph.integer(0), graph.add("Squeeze", length), graph.integer(1))
        known = graph.add("Less", places, graph.add("Unsqueeze", self._lengths, [1]))  # (b, t)
        graph.add("Unsqueeze", graph.add("Cast", known, to=FLOAT), [1], output=mask)
        self.mask = graph.reshape(mask, [0, -1, 1])
        self._pairs = graph.add("And", graph.add("Unsqueeze", known, [1, 2]), graph.add("Unsqueeze", known, [1, 3]))
        table = self._weights["emb.weight"]
        embedded = graph.add("Gather", graph.constant("emb", table * np.sqrt(table.shape[1])), self._ids)
        x = graph.add("Mul", embedded, self.mask)
        for number in range(count_layers(self._weights, "encoder")):
            x = self._norm(f"norm_layers_1.{number}", graph.add("Add", x, self._attention(f"attn_layers.{number}", x)))
            x = self._norm(f"norm_layers_2.{number}", graph.add("Add", x, self._forward(f"ffn_layers.{number}", x)))
        self.rows = graph.add("Mul", x, self.mask)
        graph.add("Transpose", self.rows, perm=[0, 2, 1], output=hidden)

    def _lengths_of_symbols(self, length: str) -> None:
        """Lengths of tensors that the layers have in common, from that of the text, (1,)."""
        graph = self.graph
        wide = graph.add("Add", length, [2 * WINDOW])
        self._central = graph.add("Add", length, [WINDOW])
        self._skewed, self._flat = graph.add("Concat", [0, 0, -1], wide, axis=0), graph.add("Mul", length, wide)
        self._wider = graph.add("Concat", [0, 0, -1], graph.add("Add", length, [_REACH]), axis=0)
        self._more_distances = graph.add("Concat", [0] * 7, length, axis=0)
        self._more_pairs = graph.add("Concat", [0] * 5, length, axis=0)

    def _weight(self, path: str) -> Array:
        return self._weights[f"encoder.{path}"]

    def _norm(self, path: str, x: str) -> str:
        return self.graph.norm(path, x, self._weight(f"{path}.gamma"), self._weight(f"{path}.beta"))

    def _attention(self, path: str, x: str) -> str:
        graph = self.graph
        keys, values = self._weight(f"{path}.emb_rel_k")[0], self._weight(f"{path}.emb_rel_v")[0]  # (9, d)
        if len(keys) != _REACH or not keys.size:
            raise ValueError(f"{path} has embeddings for {len(keys)} distances")
        size = keys.shape[1]
        matrices = [self._weight(f"{path}.conv_{one}.weight")[:, :, 0].T for one in "qkv"]
        biases = [self._weight(f"{path}.conv_{one}.bias") for one in "qkv"]
        for one in matrices, biases:
            one[0] = one[0] / np.sqrt(size)
        heads = len(biases[0]) // size
        three = graph.linear(f"{path}.qkv", x, np.concatenate(matrices, 1), np.concatenate(biases))
        three = graph.add("Transpose", graph.reshape(three, [0, 0, 3 * heads, size]), perm=[0, 2, 1, 3])
        query, key, value = graph.split(three, [heads] * 3, 1)  # (b, heads, t, d)
        scores = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 1, 3, 2]))
        near = self._diagonals(graph.times(f"{path}.emb_rel_k", query, keys.T))
        scores = graph.add("Where", self._pairs, graph.add("Add", scores, near), graph.number(_NEVER))
        shares = graph.add("Softmax", scores, axis=-1)
        far = graph.add("MatMul", shares, value)
        near = graph.times(f"{path}.emb_rel_v", self._distances(shares), values)
        both = graph.add("Transpose", graph.add("Add", far, near), perm=[0, 2, 1, 3])
        joined = graph.reshape(both, [0, 0, heads * size])
        output = self._weight(f"{path}.conv_o.weight")[:, :, 0].T
        return graph.linear(f"{path}.conv_o", joined, output, self._weight(f"{path}.conv_o.bias"))

    def _diagonals(self, near: str) -> str:
        """(b, heads, t, 9) -> (b, heads, t, t): as `voxmatrix.vits.layers.attention.distances_to_pairs`."""
        graph = self.graph
        flat = graph.reshape(graph.add("Pad", near, self._more_distances), [0, 0, -1])
        rows = graph.add("Reshape", graph.add("Slice", flat, [0], self._flat, [2]), self._skewed)
        return graph.add("Slice", rows, [WINDOW], self._central, [3])

    def _distances(self, pairs: str) -> str:
        """(b, heads, t, t) -> (b, heads, t, 9): as `voxmatrix.vits.layers.attention.pairs_to_distances`."""
        graph = self.graph
        flat = graph.reshape(graph.add("Pad", pairs, [0, 0, 0, WINDOW, 0, 0, 0, WINDOW]), [0, 0, -1])
        rows = graph.add("Reshape", graph.add("Pad", flat, self._more_pairs), self._wider)
        return graph.add("Slice", rows, [0], [_REACH], [3])

    def _forward(self, path: str, x: str) -> str:
        graph = self.graph
        first, second = self._weight(f"{path}.conv_1.weight"), self._weight(f"{path}.conv_2.weight")  # (d, c, taps)
        x = graph.add("Mul", x, self.mask)
        x = graph.add("Concat", *self._neighbours([x] * first.shape[2]), axis=2)
        taps = first.transpose(2, 1, 0).reshape(-1, first.shape[0])
        x = graph.add("Relu", graph.linear(f"{path}.conv_1", x, taps, self._weight(f"{path}.conv_1.bias")))
        taps = second.transpose(1, 2, 0).reshape(second.shape[1], -1)
        made = graph.times(f"{path}.conv_2", graph.add("Mul", x, self.mask), taps)
        parts = self._neighbours(graph.split(made, [second.shape[0]] * second.shape[2], 2))
        for part in parts[1:]:
            parts[0] = graph.add("Add", parts[0], part)
        return graph.add("Add", parts[0], graph.constant(f"{path}.conv_2.bias", self._weight(f"{path}.conv_2.bias")))

    def _neighbours(self, taps: list[str]) -> list[str]:
        """The tensor of each tap, shifted to the symbols that it is added to."""
        half = len(taps) // 2
        return [one if tap == half else self.graph.shifted(one, half - tap) for tap, one in enumerate(taps)]
