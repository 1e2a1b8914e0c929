"""Both parts of a first half compute what it computes, also with more frames than there are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.networks import all_inputs
from voxmatrix.piper.engines.session import open_session
from voxmatrix.piper.onnx.frames_split import FramesSplit, split_frames
from voxmatrix.piper.onnx.model_split import ModelPart, split_model


def first_half(path: Path) -> ModelPart:
    split = split_model(path)
    assert split is not None
    return split.first


@pytest.mark.parametrize("more", [0, 1, 29])
@pytest.mark.parametrize(("quality", "speakers"), [("x_low", 1), ("x_low", 3), ("tiny", 1), ("fast", 1)])
def test_the_same_is_computed(make_onnx: Any, ids: list[int], quality: str, speakers: int, more: int) -> None:
    path = make_onnx(quality, speakers, "text")
    part = first_half(path)
    inputs = all_inputs(ids, SynthesisOptions(speaker=speakers - 1), np.random.default_rng(0))
    inputs = {name: value for name, value in inputs.items() if name in part.inputs}
    (expected,) = open_session(path, part.model).run(None, inputs)

    split = split_frames(part, path)

    assert split is not None
    names = split.between
    given = dict(zip(names, open_session(path, split.text).run(names, inputs), strict=True))
    frames = given[names[0]].shape[-1]
    for name in names[:2]:  # what is beyond the mask does not matter, as long as it is a number
        values = np.random.default_rng(1).standard_normal(given[name].shape[1]) if name == names[0] else [0.0]
        beyond = np.repeat(np.float32(values)[None, :, None], -frames % 4 + 4 * more, -1)
        given[name] = np.concatenate([given[name], beyond], -1)
    (made,) = onnxruntime.InferenceSession(split.frames).run(None, given)
    positions = made.shape[-1] // given[names[1]].shape[-1] * frames
    assert expected.shape[-1] == positions
    assert np.allclose(made[..., :positions], expected, atol=1e-4 * np.abs(expected).max())


def changed(path: Path, change: Callable[[Any], None]) -> FramesSplit | None:
    """The split of a first half, after a change of it."""
    part = first_half(path)
    model = onnx.ModelProto.FromString(part.model)
    change(model)
    return split_frames(ModelPart(model.SerializeToString(), part.inputs, part.output), path)


def _names_of_another_exporter(model: Any) -> None:
    for tensor in model.graph.initializer:
        for node in model.graph.node:
            node.input[:] = ["w" + name if name == tensor.name else name for name in node.input]
        tensor.name = "w" + tensor.name


def _weights_in_another_file(model: Any) -> None:
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = "other.bin"


def _a_weight_is_computed(model: Any) -> None:
    tensor = next(one for one in model.graph.initializer if one.name.endswith("dec.conv_pre.weight"))
    for node in model.graph.node:
        node.input[:] = ["computed" if name == tensor.name else name for name in node.input]
    model.graph.node.insert(0, helper.make_node("Identity", [tensor.name], ["computed"]))


def _text_goes_around_the_frames(model: Any) -> None:
    (output,) = model.graph.output
    last = next(node for node in model.graph.node if output.name in node.output)
    last.output[0] = "almost"
    model.graph.node.extend(
        [
            helper.make_node("ReduceSum", ["scales"], ["loudness"], keepdims=0),
            helper.make_node("Mul", ["almost", "loudness"], [output.name]),
        ]
    )


def test_a_narrow_flow_is_not_split_where_a_wide_one_is_wanted(make_onnx: Any) -> None:
    path = make_onnx("x_low", 1, "text")

    assert split_frames(first_half(path), path, 96) is not None
    assert split_frames(first_half(path), path, 97) is None


@pytest.mark.parametrize(
    "change",
    [
        _names_of_another_exporter,
        _weights_in_another_file,
        _a_weight_is_computed,
        _text_goes_around_the_frames,
    ],
)
def test_others_are_not_split(make_onnx: Any, change: Callable[[Any], None]) -> None:
    path = make_onnx("x_low", 1, "text")

    assert changed(path, lambda _: None) is not None
    assert changed(path, change) is None
