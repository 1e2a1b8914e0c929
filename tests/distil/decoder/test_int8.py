"""Layers computed with 8-bit integers make the numbers of float32, as far as 8 bits can."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from tests.examples import examples
from voxmatrix.distil.decoder.corpus import CorpusSentence
from voxmatrix.distil.decoder.int8 import Range, Ranges, measure, to_int8
from voxmatrix.distil.decoder.network import FastDecoder

PATH = "dec.trunk.0"
Numbers = NDArray[np.float32]


def model_of(operation: str, weight: Numbers, bias: Numbers, **attributes: Sequence[int]) -> Any:
    """A model with one layer, with a height of one."""
    names = {"weight": weight, "bias": bias}
    constants = [numpy_helper.from_array(value, f"fast/{PATH}.{name}") for name, value in names.items()]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * 4) for name in "xy"]
    node = helper.make_node(operation, ["x", *(one.name for one in constants)], ["y"], **attributes)
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def computed(model: Any, x: Numbers) -> Numbers:
    made: Numbers = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    return made


def both(model: Any, x: Numbers, measured: Numbers) -> tuple[Numbers, Numbers]:
    """What the model makes of x, and what it makes with integers, whose ranges are those in what was measured."""
    wanted, made = computed(model, x), computed(model, measured)
    to_int8(model, {PATH: Ranges(*(Range(one.min((0, 2, 3)), one.max((0, 2, 3))) for one in (measured, made)))})
    onnx.checker.check_model(model)
    assert {node.op_type for node in model.graph.node} >= {"QuantizeLinear", "QLinearConv", "DequantizeLinear"}
    return wanted, computed(model, x)


def check(operation: str, weight: Numbers, bias: Numbers, x: Numbers, **attributes: Sequence[int]) -> None:
    """That integers make what numbers make, to a twentieth of it.

    Where the products cancel each other to less than half of their size, to a twentieth of that half.
    """
    wanted, found = both(model_of(operation, weight, bias, **attributes), x, x)
    squares = computed(model_of(operation, weight**2, bias**2, **attributes), x**2)

    assert found.shape == wanted.shape
    assert np.linalg.norm(found - wanted) < 0.05 * max(np.linalg.norm(wanted), 0.5 * np.sqrt(squares.sum()))


@given(
    channels=st.integers(1, 40),
    made=st.integers(1, 40),
    taps=st.sampled_from([1, 3, 5]),
    dilation=st.integers(1, 6),
    length=st.integers(1, 60),
    loudness=st.floats(1e-3, 1e3),
    seed=st.integers(0, 99),
)
@settings(max_examples=examples(60))
def test_convolutions(
    channels: int, made: int, taps: int, dilation: int, length: int, loudness: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    pad = dilation * (taps // 2)
    check(
        "Conv",
        random.standard_normal((made, channels, 1, taps), np.float32),
        random.standard_normal(made, np.float32) * np.float32(loudness),
        random.standard_normal((1, channels, 1, length), np.float32) * np.float32(loudness),
        kernel_shape=[1, taps],
        dilations=[1, dilation],
        pads=[0, pad, 0, pad],
    )


@given(
    channels=st.integers(1, 24),
    made=st.integers(1, 24),
    stride=st.sampled_from([2, 4, 8]),
    length=st.integers(1, 30),
    louder=st.floats(1, 16),
)
@settings(max_examples=examples(60))
def test_upsamplings_also_with_a_channel_louder_than_others(
    channels: int, made: int, stride: int, length: int, louder: float
) -> None:
    random = np.random.default_rng(channels)
    weight = random.standard_normal((channels, made, 1, 2 * stride), np.float32)
    x = random.standard_normal((1, channels, 1, length), np.float32)
    x[:, 0] *= np.float32(louder)
    weight[0] /= np.float32(louder)
    check(
        "ConvTranspose",
        weight,
        random.standard_normal(made, np.float32),
        x,
        kernel_shape=[1, 2 * stride],
        strides=[1, stride],
        pads=[0, stride // 2, 0, stride // 2],
    )


def test_numbers_beyond_what_was_measured_are_the_largest_ones() -> None:
    weight = np.eye(16, dtype=np.float32)[:, :, None, None]
    model = model_of("Conv", weight, np.zeros(16, np.float32), kernel_shape=[1, 1])
    x = np.linspace(-3, 3, 16 * 32, dtype=np.float32).reshape(1, 16, 1, 32)

    wanted, found = both(model, x, np.clip(x, -1, 1))

    assert np.allclose(found, np.clip(wanted, -1, 1), atol=0.02)


@pytest.mark.parametrize("loudness", [0.0, 1e-12])
def test_a_layer_with_a_bias_and_hardly_any_weights(loudness: float) -> None:
    random = np.random.default_rng(0)
    weight = random.standard_normal((16, 16, 1, 3), np.float32) * np.float32(loudness)
    bias = np.linspace(-300, 300, 16, dtype=np.float32)
    model = model_of("Conv", weight, bias, kernel_shape=[1, 3], pads=[0, 1, 0, 1])
    x = random.standard_normal((1, 16, 1, 32), np.float32)

    wanted, found = both(model, x, x)

    assert np.allclose(found, wanted, atol=2)


def every_second(axis: int) -> Numbers:
    places = np.arange(64 if axis == 1 else 3)
    return np.broadcast_to(np.expand_dims(places % 2 == 0, [0, 2, 3] if axis == 1 else [0, 1, 2]), (16, 64, 1, 3))


@pytest.mark.parametrize(
    "weight",
    [
        np.ones((16, 64, 1, 3)),
        every_second(1),
        every_second(3),
        np.random.default_rng(0).standard_exponential((16, 64, 1, 3)),
        np.random.default_rng(1).standard_exponential((16, 64, 1, 1)),
    ],
    ids=["equal", "every second channel", "every second tap", "some larger than others", "one tap"],
)
def test_pairs_of_products_do_not_overflow(weight: Numbers) -> None:
    """CPUs without VNNI add two of them in 16 bits."""
    weight = weight.astype(np.float32)
    model = model_of("Conv", weight, np.zeros(16, np.float32), kernel_shape=[1, weight.shape[3]])
    x = np.ones((1, 64, 1, 32), np.float32)

    wanted, found = both(model, x, x)

    assert np.allclose(found, wanted, rtol=0.01)


def test_a_channel_far_quieter_than_others_keeps_its_steps() -> None:
    random = np.random.default_rng(0)
    weight = random.standard_normal((16, 16, 1, 3), np.float32)
    weight[0] /= 1000
    model = model_of("Conv", weight, np.zeros(16, np.float32), kernel_shape=[1, 3], pads=[0, 1, 0, 1])
    x = random.standard_normal((1, 16, 1, 64), np.float32)

    wanted, found = (one[:, 0] for one in both(model, x, x))

    assert np.linalg.norm(found - wanted) < 0.02 * np.linalg.norm(wanted)


def test_ranges_are_those_of_all_utterances() -> None:
    torch.manual_seed(0)
    student = FastDecoder({"dec.conv_pre.weight": np.zeros((8, 96, 7), np.float32)})
    random = np.random.default_rng(0)
    utterances = [
        CorpusSentence(
            latent=random.standard_normal((96, frames)).astype(np.float16),
            samples=np.zeros(frames * 256, np.int16),
            speaker=np.zeros(0, np.float16),
        )
        for frames in (10, 25)
    ]
    given: list[torch.Tensor] = []
    student.dec.trunk[0].register_forward_hook(lambda _, x, __: given.append(x[0][0]))

    found = measure(student, utterances)

    assert "dec.ups.0" in found and "dec.head.magnitude" in found
    assert not any("conv_pre" in path or "low_head" in path for path in found)
    together = torch.cat(given, 1)
    assert np.array_equal(found[PATH].given.low, together.min(1).values.numpy())
    assert np.array_equal(found[PATH].given.high, together.max(1).values.numpy())
