"""Kokoro's 8-bit convolutions as products of matrices, which onnxruntime computes in half of the time, with equal sums.

onnxruntime computes ConvInteger well only with weights that have no sign, which do not suit the instructions that
processors have for 8-bit products (VNNI), and packs what it multiplies anew each time. MatMulInteger has signed
weights, packed once. (Measured with onnxruntime 1.32: docs/inside/measured-by-hand.md.)
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.inference.session import CPU_PROVIDER

if TYPE_CHECKING:
    import onnx

#: Weights with a sign are those without less this; so are their zero points.
_SHIFT = 128
_MOST = 2**62


def as_products(content: bytes) -> bytes:
    """The network with products instead of convolutions; unchanged where this processor rounds such products.

    Raises:
        onnx's error DecodeError: it is no network.
    """
    if not adds_exactly():
        return content
    import onnx

    model = onnx.load_from_string(content)
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        nodes += _product(node, weights) or [node]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    graph.initializer.extend(tensor for name, tensor in weights.items() if name in used)
    return bytes(model.SerializeToString())


@cache
def adds_exactly() -> bool:
    """Whether this processor adds products of the largest 8-bit numbers exactly: AVX2 keeps sums of two in 16 bits."""
    import onnx
    from onnx import helper, numpy_helper

    length = 64
    weights = numpy_helper.from_array(np.full((length, 16), 127, np.int8), "weights")
    node = helper.make_node("MatMulInteger", ["numbers", "weights"], ["sums"])
    given = helper.make_tensor_value_info("numbers", onnx.TensorProto.UINT8, [1, length])
    sums = helper.make_tensor_value_info("sums", onnx.TensorProto.INT32, [1, 16])
    graph = helper.make_graph([node], "probe", [given], [sums], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = import_onnxruntime().InferenceSession(model.SerializeToString(), providers=[CPU_PROVIDER])
    (found,) = session.run(None, {"numbers": np.full((1, length), 255, np.uint8)})
    return bool((found == 255 * 127 * length).all())


def _product(node: "onnx.NodeProto", weights: "dict[str, onnx.TensorProto]") -> "list[onnx.NodeProto]":
    """The nodes in place of a convolution; none for another node, or a convolution of another kind.

    A row of the product's left side has, for one frame, all that its kernel covers: (frames, kernel · channels).
    """
    from onnx import helper, numpy_helper

    if node.op_type != "ConvInteger" or len(node.input) != 4 or not {*node.input[1::2]} <= weights.keys():
        return []
    numbers, named, zero, zero_of_weights = node.input
    kernel, kernel_zero = (numpy_helper.to_array(weights[name]) for name in (named, zero_of_weights))
    facts: dict[str, Any] = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    if kernel.ndim != 3 or kernel.dtype != np.uint8 or facts.get("group", 1) != 1 or facts.get("strides") != [1]:
        return []
    (dilation,), (before, after), size = facts["dilations"], facts["pads"], kernel.shape[2]

    def constant(name: str, value: Any) -> str:
        if name not in weights:
            weights[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def whole_number(value: int) -> str:
        return constant(f"products/{value}", np.array([value], np.int64))

    def signed(values: Any) -> Any:
        return (values.astype(np.int16) - _SHIFT).astype(np.int8)

    here = f"{node.name or node.output[0]}/product"
    nodes = [helper.make_node("Transpose", [numbers], [f"{here}/frames"], perm=[0, 2, 1])]
    if before or after:
        pads = constant(f"products/pads {before} {after}", np.array([0, before, 0, 0, after, 0], np.int64))
        nodes.append(helper.make_node("Pad", [nodes[-1].output[0], pads, zero], [f"{here}/padded"]))
    if size > 1:
        frames, taps = nodes[-1].output[0], [f"{here}/tap {tap}" for tap in range(size)]
        for tap, name in enumerate(taps):
            rest = (size - 1 - tap) * dilation
            ends = whole_number(-rest if rest else _MOST)
            nodes.append(
                helper.make_node("Slice", [frames, whole_number(tap * dilation), ends, whole_number(1)], [name])
            )
        nodes.append(helper.make_node("Concat", taps, [f"{here}/rows"], axis=2))
    matrix = constant(f"{named}/product", signed(kernel).transpose(2, 1, 0).reshape(-1, kernel.shape[0]))
    shifted = constant(f"{zero_of_weights}/product", signed(kernel_zero))
    nodes.append(helper.make_node("MatMulInteger", [nodes[-1].output[0], matrix, zero, shifted], [f"{here}/sums"]))
    return [*nodes, helper.make_node("Transpose", [f"{here}/sums"], list(node.output), perm=[0, 2, 1])]
