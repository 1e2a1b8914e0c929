"""A network is cut where its second half begins; what a branch takes from around it comes along.

Its noise is an input: it computes what it computes with randomness of its own, and a seed repeats it.
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from voxmatrix.inference.session import open_session
from voxmatrix.piper.onnx.model_split import split_model, whole_model
from voxmatrix.piper.onnx.parts import NOISE, SplitModel

FRAMES = np.arange(1 * 40 * 7, dtype=np.float32).reshape(1, 40, 7)


def save(path: Path, *, second: str = "Conv", external: bool = False) -> Path:
    """`frames` is halved or doubled by a branch that looks around itself, then goes through a wide convolution."""
    kernel = np.random.default_rng(0).normal(size=(40, 40, 3)).astype(np.float32)  # large enough to be mapped
    inner = [
        helper.make_graph(
            [helper.make_node("Mul", ["frames", f"by_{name}"], [name])],
            name,
            [],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
        )
        for name in ("small", "large")
    ]
    later = {"Conv": {"kernel_shape": [3], "pads": [1, 1], "strides": [1], "dilations": [1]}}.get(second, {})
    graph = helper.make_graph(
        [
            helper.make_node("If", ["choice"], ["z"], then_branch=inner[1], else_branch=inner[0]),
            helper.make_node(second, ["z", "model_g.dec.conv_pre.weight"], ["a"], **later),
            helper.make_node("Tanh", ["a"], ["output"]),
        ],
        "voice",
        [
            helper.make_tensor_value_info("frames", TensorProto.FLOAT, [1, 40, None]),
            helper.make_tensor_value_info("choice", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)],
        [
            numpy_helper.from_array(kernel, "model_g.dec.conv_pre.weight"),
            numpy_helper.from_array(np.float32(0.001), "by_small"),
            numpy_helper.from_array(np.float32(0.002), "by_large"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    onnx.save(model, path, save_as_external_data=external, size_threshold=0)
    return path


def cut(path: Path) -> SplitModel:
    found = split_model(path)
    assert found is not None
    return found


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("choice", [False, True])
def test_both_halves_together_are_the_whole(tmp_path: Path, choice: bool, external: bool) -> None:
    path = save(tmp_path / "v.onnx", external=external)
    found = cut(path)
    inputs = {"frames": FRAMES, "choice": np.array(choice)}

    whole = open_session(path).run(None, inputs)[0]
    between = open_session(path, found.first.model).run([found.boundary], inputs)[0]
    given = between[:, :, None] if found.as_conv2d else between
    after = open_session(path, found.second.model).run([found.second.output], {found.boundary: given})[0]

    assert found.as_conv2d and np.array_equal(after.reshape(whole.shape), whole) and np.abs(whole).max() > 0.1
    assert np.allclose(between, FRAMES * (0.002 if choice else 0.001))


def test_each_half_has_what_it_needs_and_no_more(tmp_path: Path) -> None:
    found = cut(save(tmp_path / "v.onnx"))
    first, second = (onnx.load_from_string(half.model).graph for half in (found.first, found.second))

    assert found.inputs == {"frames", "choice"} == found.first.inputs
    assert found.second.inputs == {"z"} and found.second.output == "output"
    assert [node.op_type for node in first.node] == ["If"]
    assert [node.op_type for node in second.node] == ["Conv", "Tanh"]
    assert {weight.name for weight in first.initializer} == {"by_small", "by_large"}
    assert (found.receptive_field.margin, found.receptive_field.hop) == (1, 1)


def test_large_weights_are_not_copied_but_pointed_to(tmp_path: Path) -> None:
    path = save(tmp_path / "v.onnx")
    weight = onnx.load_from_string(cut(path).second.model).graph.initializer[0]
    place = {entry.key: entry.value for entry in weight.external_data}

    assert place["location"] == "v.onnx" and int(place["length"]) == 40 * 40 * 3 * 4
    begin = int(place["offset"])
    numbers = np.frombuffer(path.read_bytes()[begin : begin + int(place["length"])], np.float32)
    assert np.array_equal(numbers.reshape(40, 40, 3), numpy_helper.to_array(onnx.load(path).graph.initializer[0]))


def test_a_network_whose_second_half_looks_everywhere_is_not_cut(tmp_path: Path) -> None:
    assert split_model(save(tmp_path / "v.onnx", second="MatMul")) is None


@pytest.mark.parametrize("content", [b"", b"\x08", b"nonsense, and more of it", b"\x3a\x7f"])
def test_what_is_no_network_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.onnx").write_bytes(content)

    with pytest.raises(ValueError, match=r".+"):
        split_model(tmp_path / "v.onnx")


def save_noisy(path: Path, count: int = 1, **attributes: float) -> Path:
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


@pytest.mark.parametrize(("drawn", "per_id"), [("ids", 2), ("frames", 512), ("both", 512)])
def test_a_voice_that_draws_only_durations_is_given_little_noise(tmp_path: Path, drawn: str, per_id: int) -> None:
    like = {"ids": ["input"], "frames": ["rounded"], "both": ["input", "rounded"]}[drawn]
    nodes = [
        helper.make_node("Ceil", ["input"], ["rounded"]),
        *(helper.make_node("RandomNormalLike", [one], [f"like_{one}"], dtype=1) for one in like),
        helper.make_node("Sum", ["rounded", *(f"like_{one}" for one in like)], ["output"]),
    ]
    value = helper.make_tensor_value_info("input", TensorProto.FLOAT, [None, None])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "drawing", [value], [output])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)]), tmp_path / "v.onnx")

    model, _ = whole_model(tmp_path / "v.onnx")

    assert model.noise_per_id == per_id


def noise_of(path: Path, shape: tuple[int, ...], noise: np.ndarray) -> np.ndarray:
    model, _ = whole_model(path)
    result: np.ndarray = open_session(path, model.model).run(
        [model.output], {"input": np.full(shape, 100, np.float32), NOISE: noise}
    )[0]
    return result - 100


@pytest.mark.parametrize("shape", [(1, 2, 3), (1, 192, 40)])
def test_the_noise_is_read_in_order_and_again_from_the_beginning(tmp_path: Path, shape: tuple[int, ...]) -> None:
    noise = np.arange(50, dtype=np.float32)

    computed = noise_of(save_noisy(tmp_path / "v.onnx"), shape, noise)

    assert np.array_equal(computed, np.resize(noise, shape))


@pytest.mark.parametrize("length", [1, 50, 10_007, 20_000])
def test_a_second_node_reads_from_its_own_place_on(tmp_path: Path, length: int) -> None:
    noise = np.random.default_rng(0).standard_normal(length, dtype=np.float32)

    one, both = (noise_of(save_noisy(tmp_path / f"{n}.onnx", n), (2, 30, 40), noise) for n in (1, 2))

    second = noise.take(10_007 + np.arange(2400), mode="wrap").reshape(one.shape)
    assert np.allclose(both - one, second, atol=1e-4)  # of sums with 100


def test_two_nodes_read_different_noise(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).standard_normal(100_000, dtype=np.float32)

    one, both = (noise_of(save_noisy(tmp_path / f"{n}.onnx", n), (1, 10, 500), noise) for n in (1, 2))

    assert abs(float(np.corrcoef(one.ravel(), (both - one).ravel())[0, 1])) < 0.1
    assert both.std() == pytest.approx(2**0.5, abs=0.05)  # the variance of a sum of independent numbers


def test_noise_of_another_distribution_is_left_to_onnxruntime(tmp_path: Path) -> None:
    path = save_noisy(tmp_path / "v.onnx", mean=7.0)

    model, inputs = whole_model(path)

    assert inputs == model.inputs == {"input"}
    assert {node.op_type for node in onnx.load_from_string(model.model).graph.node} == {"RandomNormalLike", "Add"}
