"""Let the wide convolutions of an ONNX decoder compute the same with fewer multiplications (`winograd`).

They are about 1.5 times as fast. Three operations do it for four outputs at a time: a convolution, a matrix for each
of its outputs, and a transposed convolution. Convolutions of fewer channels would lose more by moving data than they
gain (measured: 64 channels), and so would those of the text encoder: the 85 symbols of a usual sentence are too few for
matrices of that many weights.
"""

from typing import Any

from voxmatrix.piper.onnx.graph_edits import NewNodes, inputs_of, set_nodes
from voxmatrix.vits.layers.winograd import filtering

_OUTPUTS = 4
_TAPS = frozenset({3, 5, 7})
_MIN_CHANNELS = 128
#: Of a weight: channels made, channels given, taps.
_AXES = 3


def filter_convolutions(model: Any, begins: str) -> bool:
    """Change what depends on the tensor `begins` in this onnx.ModelProto.

    False, and no change: no convolution there is wide enough.
    """
    weights, new = {tensor.name: tensor for tensor in model.graph.initializer}, NewNodes("filtered/")
    nodes: list[Any] = []
    reached = {begins} - {""}
    for node in model.graph.node:
        first = len(new.nodes)
        if not reached.isdisjoint(inputs_of(node)):
            reached |= set(node.output)
            convolution = _Convolution(node, weights)
            if convolution.is_wide:
                convolution.filtered(new)
        nodes += new.nodes[first:] or [node]
    set_nodes(model, nodes, new.initializers.values())
    return bool(new.nodes)


class _Convolution:
    """A node that may be a convolution: (b, c, t) -> (b, d, t)."""

    def __init__(self, node: Any, weights: dict[str, Any]) -> None:
        from onnx import helper

        self._node = node
        found = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        weight = weights.get(node.input[1]) if node.op_type == "Conv" else None
        self._shape = list(weight.dims) if weight else []
        self._plain = (found.get("group", 1), found.get("strides", [1])) == (1, [1]) and "auto_pad" not in found
        self._dilation, *_ = found.get("dilations", [1])
        self._pads = found.get("pads", [0, 0])

    @property
    def is_wide(self) -> bool:
        """Whether it is a convolution that gains by filtering."""
        return (
            len(self._shape) == _AXES
            and self._plain
            and min(self._shape[:2]) >= _MIN_CHANNELS
            and self._shape[2] in _TAPS
            and not any(pad % self._dilation for pad in self._pads)
        )

    def filtered(self, new: NewNodes) -> None:
        """Add nodes that compute its output.

        With a dilation of p it is p convolutions, each of every p-th position. These are kept as more channels.
        """
        (made, channels, taps), dilation = self._shape, self._dilation
        matrices, (before, after) = filtering(_OUTPUTS, taps), (pad // dilation for pad in self._pads)
        x, inputs = self._node.input[0], _OUTPUTS + taps - 1
        length = new.add("Slice", new.add("Shape", x), [2], [3])
        if dilation > 1:
            missing = new.add("Mod", new.add("Neg", length), [dilation])
            x = new.add("Pad", x, new.add("Concat", [0, 0, 0, 0, 0], missing, axis=0))
            x = new.add("Transpose", new.add("Reshape", x, [0, 0, -1, dilation]), perm=[0, 1, 3, 2])
        x = new.add("Reshape", x, [0, 1, channels * dilation, -1])
        x = new.add(
            "Conv",
            x,
            matrices.before[:, None, None],
            kernel_shape=[1, inputs],
            strides=[1, _OUTPUTS],
            pads=[0, before, 0, after + _OUTPUTS - 1],  # for the last outputs, of which some may be cut
        )
        # The file has the taps, which are fewer numbers: they are multiplied once, when a voice is prepared.
        kernel = new.add("Reshape", new.add("Transpose", self._node.input[1], perm=[2, 0, 1]), [taps, -1])
        kernel = new.add("Reshape", new.add("MatMul", matrices.kernel, kernel), [inputs, made, channels])
        x = new.add("MatMul", kernel, new.add("Reshape", x, [0, 0, channels, -1]))
        x = new.add(
            "ConvTranspose",
            new.add("Reshape", x, [0, 0, made * dilation, -1]),
            matrices.after.T[:, None, None],
            kernel_shape=[1, _OUTPUTS],
            strides=[1, _OUTPUTS],
        )
        if dilation > 1:
            x = new.add("Transpose", new.add("Reshape", x, [0, made, dilation, -1]), perm=[0, 1, 3, 2])
        x = new.add("Reshape", x, [0, made, -1])
        (output,), biases = self._node.output, self._node.input[2:]
        fewer = sum(self._pads) - dilation * (taps - 1)
        end = new.add("Add", length, [fewer]) if fewer else length
        x = new.add("Slice", x, [0], end, [2], output="" if biases else output)
        if biases:
            new.add("Add", x, new.add("Reshape", biases[0], [-1, 1]), output=output)
