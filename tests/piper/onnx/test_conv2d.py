"""A second half with 2-D convolutions computes what it computes with 1-D ones, and stays where it would not."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from voxmatrix.inference.session import open_session
from voxmatrix.piper.onnx.model_split import split_model

WEIGHT = "dec.conv_pre.weight"


def tensor(name: str, *lengths: int) -> TensorProto:
    return numpy_helper.from_array(np.random.default_rng(7).normal(size=lengths).astype(np.float32), name)


def convolution(kind: str, source: str, weight: str, to: str, **numbers: list[int]) -> NodeProto:
    return helper.make_node(kind, [source, weight], [to], **numbers)


def save(path: Path, middle: list[NodeProto], weights: list[TensorProto]) -> Path:
    """`frames`, a convolution of three taps, what the test puts in the `middle`, and samples with one axis more."""
    first = convolution("Conv", "frames", WEIGHT, "a", kernel_shape=[3], pads=[2, 2], strides=[1], dilations=[2])
    nodes = [first, *middle, helper.make_node("Unsqueeze", ["b", "axis"], ["output"])]
    graph = helper.make_graph(
        nodes,
        "voice",
        [helper.make_tensor_value_info("frames", TensorProto.FLOAT, [1, 32, None])],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1, 32, None])],
        [tensor(WEIGHT, 32, 32, 3), numpy_helper.from_array(np.array([1]), "axis"), *weights],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), path)
    return path


def number(value: float, *axes: int) -> TensorProto:
    return numpy_helper.from_array(np.full(axes, value, dtype=np.float32), "number")


FITTING: dict[str, tuple[list[NodeProto], list[TensorProto]]] = {
    "one after the other": ([helper.make_node("LeakyRelu", ["a"], ["b"], alpha=0.1)], []),
    "with itself": ([helper.make_node("Add", ["a", "a"], ["b"])], []),
    "with a number": ([helper.make_node("Div", ["a", "number"], ["b"])], [number(3.0)]),
    "with a list of one": ([helper.make_node("Div", ["a", "number"], ["b"])], [number(3.0, 1)]),
    "with a constant": (
        [
            helper.make_node("Constant", [], ["three"], value=number(3.0)),
            helper.make_node("Mul", ["a", "three"], ["b"]),
        ],
        [],
    ),
    "finer": (
        [convolution("ConvTranspose", "a", "up", "b", kernel_shape=[8], pads=[2, 2], strides=[4])],
        [tensor("up", 32, 32, 8)],
    ),
}

OTHER: dict[str, tuple[list[NodeProto], list[TensorProto]]] = {
    "a number for each channel": ([helper.make_node("Mul", ["a", "each"], ["b"])], [tensor("each", 32, 1)]),
    "a table for each voice": ([helper.make_node("Add", ["a", "each"], ["b"])], [tensor("each", 1, 32, 1)]),
    "taps that are added to": (
        [helper.make_node("Mul", [WEIGHT, "number"], ["w"]), convolution("Conv", "a", "w", "b", kernel_shape=[3])],
        [number(2.0)],
    ),
    "taps that are heard": (
        [
            convolution("Conv", "a", WEIGHT, "c", kernel_shape=[3], pads=[1, 1]),
            helper.make_node("Add", ["c", WEIGHT], ["b"]),
        ],
        [],
    ),
    "an axis in the middle": (
        [helper.make_node("Unsqueeze", ["a", "axis"], ["c"]), helper.make_node("Squeeze", ["c", "axis"], ["b"])],
        [],
    ),
}


@pytest.mark.parametrize("kind", FITTING)
def test_the_same_is_computed(tmp_path: Path, kind: str) -> None:
    path = save(tmp_path / "v.onnx", *FITTING[kind])
    frames: Any = np.random.default_rng(3).normal(size=(1, 32, 50)).astype(np.float32)
    found = split_model(path)
    assert found is not None and found.as_conv2d

    session = open_session(path, found.second.model, optimised=True)
    as_conv2d = session.run([found.second.output], {found.boundary: frames[:, :, None]})[0]
    lines = open_session(path).run(None, {"frames": frames})[0]

    assert as_conv2d.size == lines.size
    assert np.abs(as_conv2d.reshape(lines.shape) - lines).max() <= 1e-4 * np.abs(lines).max()


@pytest.mark.parametrize("kind", OTHER)
def test_what_counts_on_its_axes_keeps_them(tmp_path: Path, kind: str) -> None:
    found = split_model(save(tmp_path / "v.onnx", *OTHER[kind]))

    assert found is None or not found.as_conv2d
