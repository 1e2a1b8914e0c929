"""Wide convolutions with fewer multiplications compute what they compute without."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from voxmatrix.piper.onnx.winograd import filter_convolutions

WIDE, NARROW = 128, 96


def model(shape: tuple[int, int, int], *, bias: bool = True, **attributes: Any) -> Any:
    """A graph of one convolution."""
    random = np.random.default_rng(0)
    weight = random.standard_normal(shape, np.float32) / np.sqrt(shape[1] * shape[2], dtype=np.float32)
    tensors = [numpy_helper.from_array(weight, "weight")]
    if bias:
        tensors.append(numpy_helper.from_array(random.standard_normal(shape[0], np.float32), "bias"))
    node = helper.make_node("Conv", ["x", *(tensor.name for tensor in tensors)], ["y"], "conv", **attributes)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["b", None, None]) for name in ("x", "y")]
    graph = helper.make_graph([node], "voice", ends[:1], ends[1:], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def computed(network: Any, x: Any) -> Any:
    return onnxruntime.InferenceSession(network.SerializeToString()).run(None, {"x": x})[0]


@pytest.mark.parametrize("taps", [3, 5, 7])
@pytest.mark.parametrize("dilation", [1, 2, 6])
@pytest.mark.parametrize("positions", [1, 4, 37, 90])
def test_the_same_is_computed(taps: int, dilation: int, positions: int) -> None:
    pad = dilation * (taps // 2)
    network = model((WIDE, WIDE + 5, taps), pads=[pad, pad], dilations=[dilation], kernel_shape=[taps])
    x = np.random.default_rng(1).standard_normal((2, WIDE + 5, positions), np.float32)
    expected = computed(network, x)

    assert filter_convolutions(network, "x")

    assert np.allclose(computed(network, x), expected, atol=1e-4)
    assert all(node.name != "conv" for node in network.graph.node)


@pytest.mark.parametrize("pads", [[0, 0], [2, 0], [0, 1], [3, 3]])
@pytest.mark.parametrize("bias", [True, False])
def test_any_padding_with_and_without_a_bias(pads: list[int], bias: bool) -> None:
    network = model((WIDE, WIDE, 3), bias=bias, pads=pads)
    x = np.random.default_rng(1).standard_normal((1, WIDE, 30), np.float32)
    expected = computed(network, x)

    assert filter_convolutions(network, "x")

    assert np.allclose(computed(network, x), expected, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        ((NARROW, WIDE, 3), {}),
        ((WIDE, NARROW, 3), {}),
        ((WIDE, WIDE, 1), {}),
        ((WIDE, WIDE, 9), {}),
        ((WIDE, WIDE, 3), {"group": 2}),
        ((WIDE, WIDE, 3), {"strides": [2]}),
        ((WIDE, WIDE, 3), {"auto_pad": "SAME_UPPER"}),
        ((WIDE, WIDE, 3), {"dilations": [2], "pads": [1, 1]}),
        ((WIDE, WIDE, 1, 3), {}),
    ],
)
def test_other_convolutions_stay(shape: Any, attributes: dict[str, Any]) -> None:
    network = model(shape, **attributes)
    before = network.SerializeToString()

    assert not filter_convolutions(network, "x")

    assert network.SerializeToString() == before
    assert onnx.ModelProto.FromString(before) == network


def test_convolutions_in_front_stay() -> None:
    network = model((WIDE, WIDE, 3), pads=[1, 1])

    assert not filter_convolutions(network, "y")
    assert not filter_convolutions(network, "")
