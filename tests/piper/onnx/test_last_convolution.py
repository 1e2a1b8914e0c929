"""The last convolution, 16 samples at a time, computes the same samples."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

from voxmatrix.piper.onnx.last_convolution import PHASES, with_phases
from voxmatrix.piper.onnx.model_split import ModelPart

CHANNELS = 6


def part(made: int = 1, *, bias: bool = True, **attributes: Any) -> ModelPart:
    """A part of a voice with one convolution."""
    random = np.random.default_rng(0)
    tensors = [numpy_helper.from_array(random.standard_normal((made, CHANNELS, 1, 7), np.float32), "weight")]
    if bias:
        tensors.append(numpy_helper.from_array(random.standard_normal(made, np.float32), "bias"))
    sizes = {"pads": [0, 3, 0, 3], "kernel_shape": [1, 7]} | attributes
    return part_with("Conv", tensors, **sizes)


def transposed(taps: int, **attributes: Any) -> ModelPart:
    """A part of a voice with one transposed convolution."""
    weight = np.random.default_rng(0).standard_normal((CHANNELS, 1, 1, taps), np.float32)
    tensors = [numpy_helper.from_array(weight, "weight")]
    return part_with("ConvTranspose", tensors, kernel_shape=[1, taps], **attributes)


def part_with(operation: str, tensors: list[Any], **attributes: Any) -> ModelPart:
    nodes = [
        helper.make_node(operation, ["x", *(tensor.name for tensor in tensors)], ["convolved"], "conv", **attributes),
        helper.make_node("Tanh", ["convolved"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "voice", ends[:1], ends[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    return ModelPart(model.SerializeToString(), frozenset({"x"}), "y")


def computed(one: ModelPart, x: Any) -> Any:
    return onnxruntime.InferenceSession(one.model).run(None, {"x": x})[0]


@pytest.mark.parametrize("samples", [PHASES, 5 * PHASES])
@pytest.mark.parametrize("bias", [True, False])
def test_the_same_samples(samples: int, bias: bool) -> None:
    given = part(bias=bias)
    x = np.random.default_rng(1).standard_normal((1, CHANNELS, 1, samples), np.float32)

    changed = with_phases(given, Path("voice.onnx"))

    assert changed is not None
    assert np.allclose(computed(changed, x), computed(given, x), atol=1e-6)


@pytest.mark.parametrize(("taps", "stride"), [(128, 32), (32, 32), (12, 8), (48, 16)])
def test_the_same_samples_of_an_inverse_transform(taps: int, stride: int) -> None:
    given = transposed(taps, strides=[1, stride], pads=[0, (taps - stride) // 2, 0, (taps - stride + 1) // 2])
    x = np.random.default_rng(1).standard_normal((1, CHANNELS, 1, 9), np.float32)

    changed = with_phases(given, Path("voice.onnx"))

    assert changed is not None
    assert computed(given, x).shape == (1, 1, 1, 9 * stride)
    assert np.allclose(computed(changed, x), computed(given, x), atol=1e-5)


def test_a_transform_with_a_rest_stays() -> None:
    assert with_phases(transposed(12, strides=[1, 4], pads=[0, 3, 0, 3]), Path("voice.onnx")) is None


@pytest.mark.parametrize(
    "other", [{"made": 2}, {"strides": [1, 2]}, {"dilations": [1, 2]}, {"pads": [0, 3, 0, 2], "group": 1, "made": 3}]
)
def test_other_convolutions_stay(other: dict[str, Any]) -> None:
    assert with_phases(part(**other), Path("voice.onnx")) is None


def test_weights_of_half_precision_stay() -> None:
    model = ModelProto.FromString(part().model)
    for tensor in model.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))

    assert with_phases(ModelPart(model.SerializeToString(), frozenset({"x"}), "y"), Path("voice.onnx")) is None


def test_weights_in_another_file_stay() -> None:
    model = ModelProto.FromString(part().model)
    for tensor in model.graph.initializer:
        set_external_data(tensor, "weights.bin", offset=0, length=len(tensor.raw_data))

    assert with_phases(ModelPart(model.SerializeToString(), frozenset({"x"}), "y"), Path("voice.onnx")) is None
