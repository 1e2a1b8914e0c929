"""8-bit convolutions and the products in their place, in onnxruntime: the same integers."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from voxmatrix.kokoro import products

CHANNELS, FRAMES = 3, 40
really_adds_exactly = products.adds_exactly


def network(kernel: int, dilation: int, pads: tuple[int, int], *, strides: int = 1, zero: int = 117) -> bytes:
    """One convolution, from numbers and their zero point to sums."""
    weights = np.random.default_rng(kernel).integers(0, 256, (5, CHANNELS, kernel)).astype(np.uint8)
    facts = {"dilations": [dilation], "pads": [*pads], "strides": [strides], "kernel_shape": [kernel], "group": 1}
    node = helper.make_node("ConvInteger", ["numbers", "weights", "zero", "zero of weights"], ["sums"], **facts)
    graph = helper.make_graph(
        [node],
        "convolution",
        [helper.make_tensor_value_info("numbers", TensorProto.UINT8, [1, CHANNELS, "frames"])],
        [helper.make_tensor_value_info("sums", TensorProto.INT32, [1, 5, None])],
        [
            numpy_helper.from_array(weights, "weights"),
            numpy_helper.from_array(np.array(zero, np.uint8), "zero"),
            numpy_helper.from_array(np.array(131, np.uint8), "zero of weights"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def sums(model: bytes) -> Any:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    numbers = np.random.default_rng(0).integers(0, 256, (1, CHANNELS, FRAMES)).astype(np.uint8)
    return session.run(None, {"numbers": numbers})[0]


def operations(model: bytes) -> set[str]:
    return {node.op_type for node in onnx.load_from_string(model).graph.node}


@pytest.fixture(autouse=True)
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "adds_exactly", lambda: True)


@pytest.mark.parametrize(
    ("kernel", "dilation", "pads"), [(1, 1, (0, 0)), (3, 1, (1, 1)), (5, 1, (0, 0)), (7, 3, (9, 9)), (3, 2, (4, 0))]
)
def test_a_product_has_the_sums_of_the_convolution(kernel: int, dilation: int, pads: tuple[int, int]) -> None:
    before = network(kernel, dilation, pads)
    after = products.as_products(before)
    assert "ConvInteger" not in operations(after)
    assert sums(after).shape == sums(before).shape
    if really_adds_exactly():
        assert np.array_equal(sums(after), sums(before))


def test_a_convolution_of_another_kind_stays() -> None:
    assert operations(products.as_products(network(3, 1, (1, 1), strides=2))) == {"ConvInteger"}


def test_where_sums_are_rounded_the_network_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "adds_exactly", lambda: False)
    before = network(3, 1, (1, 1))
    assert products.as_products(before) is before
