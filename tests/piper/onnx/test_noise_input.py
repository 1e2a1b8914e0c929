"""A network whose noise is an input computes what it computes with randomness of its own, and a seed repeats it."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from voxmatrix.piper.engines.session import open_session
from voxmatrix.piper.onnx.model_split import whole_model
from voxmatrix.piper.onnx.noise_input import NOISE


def save(path: Path, count: int = 1, **attributes: float) -> Path:
    """The sum of `input` and of noise of its shape, `count` times; `loud` is the noise alone."""
    nodes = []
    for number in range(count):
        before = f"sum{number - 1}" if number else "input"
        after = "output" if number == count - 1 else f"sum{number}"
        nodes.append(helper.make_node("RandomNormalLike", ["input"], [f"noise{number}"], dtype=1, **attributes))
        nodes.append(helper.make_node("Add", [before, f"noise{number}"], [after]))
    value = helper.make_tensor_value_info("input", TensorProto.FLOAT, [None, None, None])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "noisy", [value], [output])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), path)
    return path


def run(path: Path, shape: tuple[int, ...], noise: np.ndarray) -> np.ndarray:
    model, _ = whole_model(path)
    result: np.ndarray = open_session(path, model.model).run(
        [model.output], {"input": np.full(shape, 100, np.float32), NOISE: noise}
    )[0]
    return result - 100


@pytest.mark.parametrize("shape", [(1, 2, 3), (1, 192, 40)])
def test_the_noise_is_read_in_order_and_again_from_the_beginning(tmp_path: Path, shape: tuple[int, ...]) -> None:
    noise = np.arange(50, dtype=np.float32)

    computed = run(save(tmp_path / "v.onnx"), shape, noise)

    assert np.array_equal(computed, np.resize(noise, shape))


@pytest.mark.parametrize("length", [1, 50, 10_007, 20_000])
def test_a_second_node_reads_from_its_own_place_on(tmp_path: Path, length: int) -> None:
    noise = np.random.default_rng(0).standard_normal(length, dtype=np.float32)

    one, both = (run(save(tmp_path / f"{n}.onnx", n), (2, 30, 40), noise) for n in (1, 2))

    second = noise.take(10_007 + np.arange(2400), mode="wrap").reshape(one.shape)
    assert np.allclose(both - one, second, atol=1e-4)  # of sums with 100


def test_two_nodes_read_different_noise(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).standard_normal(100_000, dtype=np.float32)

    one, both = (run(save(tmp_path / f"{n}.onnx", n), (1, 10, 500), noise) for n in (1, 2))

    assert abs(float(np.corrcoef(one.ravel(), (both - one).ravel())[0, 1])) < 0.1
    assert both.std() == pytest.approx(2**0.5, abs=0.05)  # the variance of a sum of independent numbers


def test_noise_of_another_distribution_is_left_to_onnxruntime(tmp_path: Path) -> None:
    path = save(tmp_path / "v.onnx", mean=7.0)

    model, inputs = whole_model(path)

    assert inputs == model.inputs == {"input"}
    assert {node.op_type for node in onnx.load_from_string(model.model).graph.node} == {"RandomNormalLike", "Add"}
