"""The flow from noise to the logarithm of durations (`vits/duration.py`), except its last layer."""

import re
from collections.abc import Mapping

import numpy as np

from voxmatrix.piper.onnx.graph_edits import Array
from voxmatrix.piper.onnx.text.rows import RowNodes, count_layers, inverse_spline, spline_columns

#: GELU is x (1 + erf(x times this)) / 2.
ROOT_HALF = np.sqrt(0.5)

_FIRST_LAYER = re.compile(r"flows\.\d+\.pre\.weight$")
#: In inference: as in VITS, one before it is skipped.
_FIRST_COUPLING = 3


class DurationNodes:
    """From hidden rows and noise to what the last layer is given. b sentences, t symbols, c channels."""

    def __init__(self, graph: RowNodes, weights: Mapping[str, Array]) -> None:
        """weights: by their names in a checkpoint, after "dp."."""
        self.graph, self._weights = graph, weights

    def write(self, rows: str, mask: str, speaker: str, noise: str, latent: str) -> None:
        """Make the tensor `latent` (b, 2, t) from rows (b, t, c), mask (b, t, 1), noise (b, 2, t).

        The speaker is (b, s, 1), or "" for a voice with one.
        """
        graph, self._mask = self.graph, mask
        x = self._linear("pre", rows)
        if speaker:
            x = graph.add("Add", x, self._linear("cond", graph.add("Transpose", speaker, perm=[0, 2, 1])))
        self._condition = graph.add("Mul", self._linear("proj", self._convolved("convs", x)), mask)
        moved, fixed = (graph.reshape(one, [0, -1, 1]) for one in graph.split(noise, [1, 1], 1))
        places = sorted(int(name.split(".")[1]) for name in self._weights if _FIRST_LAYER.match(name))
        if places != list(range(_FIRST_COUPLING, _FIRST_COUPLING + 2 * len(places), 2)):
            raise ValueError(f"couplings at {places}")
        for place in reversed(places):
            # Each coupling is followed by an exchange of the channels.
            moved, fixed = fixed, self._coupled(f"flows.{place}", moved, fixed)
        graph.add("Transpose", graph.add("Concat", fixed, moved, axis=2), perm=[0, 2, 1], output=latent)

    def _coupled(self, path: str, moved: str, fixed: str) -> str:
        graph = self.graph
        weight, bias = self._weights[f"{path}.pre.weight"][:, 0, 0], self._weights[f"{path}.pre.bias"]
        x = graph.add("Mul", fixed, graph.constant(f"{path}.pre.weight", weight))
        x = graph.add("Add", graph.add("Add", x, graph.constant(f"{path}.pre.bias", bias)), self._condition)
        x = self._convolved(f"{path}.convs", x)
        matrix, bias = self._weights[f"{path}.proj.weight"][:, :, 0].T, self._weights[f"{path}.proj.bias"]
        scale = np.sqrt(len(matrix))
        columns = spline_columns(matrix, scale), spline_columns(bias, scale)
        return inverse_spline(graph, graph.linear(f"{path}.proj", x, *columns), moved)

    def _convolved(self, path: str, x: str) -> str:
        """Dilated depthwise convolutions, each followed by a pointwise one."""
        graph = self.graph
        for layer in range(count_layers(self._weights, path)):
            y = self._depthwise(f"{path}.convs_sep.{layer}", graph.add("Mul", x, self._mask), layer)
            y = self._active(f"{path}.norms_1.{layer}", y)
            y = self._linear(f"{path}.convs_1x1.{layer}", y, ROOT_HALF)
            y = self._active(f"{path}.norms_2.{layer}", y)
            x = graph.add("Add", x, graph.add("Mul", y, graph.number(ROOT_HALF)))
        return x

    def _depthwise(self, path: str, x: str, layer: int) -> str:
        graph, weight = self.graph, self._weights[f"{path}.weight"][:, 0]  # (c, taps)
        half, made = weight.shape[1] // 2, self.graph.constant(f"{path}.bias", self._weights[f"{path}.bias"])
        for tap in range(weight.shape[1]):
            distance = (half - tap) * weight.shape[1] ** layer
            taken = graph.shifted(x, distance) if distance else x
            of_tap = graph.constant(f"{path}.weight.{tap}", weight[:, tap])
            made = graph.add("Add", graph.add("Mul", taken, of_tap), made)
        return made

    def _active(self, path: str, x: str) -> str:
        """GELU of the normalised channels x, divided by `ROOT_HALF`: x (1 + erf x)."""
        graph, (scale, bias) = self.graph, (ROOT_HALF * self._weights[f"{path}.{one}"] for one in ("gamma", "beta"))
        x = graph.norm(path, x, scale, bias)
        return graph.add("Mul", x, graph.add("Add", graph.add("Erf", x), graph.number(1.0)))

    def _linear(self, path: str, x: str, scale: float = 1.0) -> str:
        weight, bias = self._weights[f"{path}.weight"][:, :, 0].T, self._weights[f"{path}.bias"]
        return self.graph.linear(path, x, scale * weight, bias)
