"""A part of a voice that needs no other file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto

from voxmatrix.inference.session import open_session
from voxmatrix.piper.onnx.graph_edits import self_contained
from voxmatrix.piper.onnx.model_split import split_model
from voxmatrix.piper.onnx.parts import SplitModel


@pytest.fixture
def voice(make_onnx: Callable[..., Path]) -> Path:
    return make_onnx("tiny", 1, "text")


@pytest.fixture
def split(voice: Path) -> SplitModel:
    found = split_model(voice)
    assert found is not None
    return found


def shapes_of(split: SplitModel, x: Any) -> dict[str, Any]:
    return {split.boundary: (*x.shape[:-1], None)}


def test_it_has_its_weights_and_the_shapes_of_its_inputs(voice: Path, split: SplitModel) -> None:
    x = split.as_second_input(np.random.default_rng(0).standard_normal((1, 64, 40), np.float32))
    wanted = open_session(voice, split.second.model).run(None, {split.boundary: x})[0]

    model = self_contained(ModelProto.FromString(split.second.model), voice, shapes_of(split, x))

    assert model is not None
    session = onnxruntime.InferenceSession(model)
    assert session.get_inputs()[0].shape[:-1] == list(x.shape[:-1])
    assert np.allclose(session.run(None, {split.boundary: x})[0], wanted, atol=1e-6)


@pytest.mark.parametrize("wrong", ["another file", "half precision"])
def test_weights_that_cannot_be_read_here(voice: Path, split: SplitModel, wrong: str) -> None:
    model = ModelProto.FromString(split.second.model)
    outside = [one for one in model.graph.initializer if one.data_location == TensorProto.EXTERNAL]
    if wrong == "half precision":
        outside[0].data_type = TensorProto.FLOAT16
    else:
        next(entry for entry in outside[0].external_data if entry.key == "location").value = "other.bin"

    x = split.as_second_input(np.zeros((1, 64, 8), np.float32))

    assert self_contained(model, voice, shapes_of(split, x)) is None
