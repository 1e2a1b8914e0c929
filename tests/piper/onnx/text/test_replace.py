"""The text part with fewer nodes computes what the text part of a voice computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import numpy_helper

from tests.examples import examples
from tests.piper.conftest import MakeCheckpoint
from tests.shared import once
from voxmatrix.piper.export import onnx_writer
from voxmatrix.piper.export.export import export_voice
from voxmatrix.piper.onnx.model_split import whole_model
from voxmatrix.piper.onnx.parts import NOISE
from voxmatrix.piper.onnx.text.replace import replace_text

ByTorch = Callable[[str, int], Any]


@pytest.fixture(scope="module")
def by_torch(make_checkpoint: MakeCheckpoint, tmp_path_factory: pytest.TempPathFactory) -> ByTorch:
    """A voice with the nodes that torch writes, as in the files of Piper."""

    def export(name: str, speakers: int) -> Any:
        def write(folder: Path) -> None:
            path = folder / "voice.onnx"
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(onnx_writer, "replace_text", lambda model: False)
                export_voice(make_checkpoint(name, speakers, "text"), path)
            model = onnx.load(str(path))
            shake(model)
            path.write_bytes(model.SerializeToString())

        return onnx.load(str(once(tmp_path_factory, f"by-torch-{name}-{speakers}", write) / "voice.onnx"))

    return export


def shake(model: Any) -> None:
    """Change all weights of the text part: an untrained voice has many zeros, and splines that change nothing."""
    random = np.random.default_rng(0)
    for tensor in model.graph.initializer:
        if ".enc_p." in tensor.name or ".dp." in tensor.name:
            value = numpy_helper.to_array(tensor)
            value = value + 0.1 * random.standard_normal(value.shape)
            tensor.CopyFrom(numpy_helper.from_array(value.astype(np.float32), tensor.name))


def spoken(model: Any, inputs: dict[str, np.ndarray], folder: Path) -> np.ndarray:
    """The samples of a voice that is given its noise."""
    return speaker(model, folder)(inputs)


def speaker(model: Any, folder: Path) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """Open a voice once, to speak several times: it reads its weights in this folder, which it has for itself."""
    folder.mkdir(exist_ok=True)
    path = folder / "voice.onnx"
    onnx.save(model, str(path))
    part, _ = whole_model(path)
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    session = onnxruntime.InferenceSession(part.model, options)
    return lambda inputs: np.asarray(session.run(None, {name: inputs[name] for name in part.inputs})[0])


def inputs_of(symbols: int, sentences: int = 1) -> dict[str, np.ndarray]:
    random = np.random.default_rng(symbols)
    return {
        "input": random.integers(1, 60, (sentences, symbols)),
        "input_lengths": np.array([symbols, symbols // 2 + 1][:sentences]),
        "scales": np.array([0.667, 1.0, 0.8], np.float32),
        "sid": np.array([1]),
        NOISE: random.standard_normal(100_000).astype(np.float32),
    }


@pytest.mark.parametrize(("name", "speakers"), [("tiny", 1), ("tiny", 3), ("x_low", 3)])
def test_any_number_of_symbols_and_speakers(name: str, speakers: int, by_torch: ByTorch, tmp_path: Path) -> None:
    before, after = by_torch(name, speakers), by_torch(name, speakers)

    assert replace_text(after)

    onnx.checker.check_model(after, full_check=True)
    assert [one.name for one in after.graph.input] == [one.name for one in before.graph.input]
    assert 2 * len(after.graph.node) < len(before.graph.node)
    voices = speaker(before, tmp_path / "before"), speaker(after, tmp_path / "after")
    for symbols in (1, 2, 4, 9, 10, 57):
        theirs, ours = (speak(inputs_of(symbols)) for speak in voices)
        assert theirs.shape == ours.shape
        assert np.abs(ours - theirs).max() < 1e-4 * np.abs(theirs).max(), symbols


def test_several_sentences_of_different_lengths(by_torch: ByTorch, tmp_path: Path) -> None:
    before, after = by_torch("tiny", 1), by_torch("tiny", 1)
    replace_text(after)

    inputs = inputs_of(31, sentences=2)
    theirs, ours = (spoken(model, inputs, tmp_path) for model in (before, after))

    assert theirs.shape == ours.shape and theirs.shape[0] == 2
    assert np.abs(ours - theirs).max() < 1e-4 * np.abs(theirs).max()


def test_it_is_replaced_once(by_torch: ByTorch) -> None:
    model = by_torch("tiny", 1)
    assert replace_text(model)
    once = model.SerializeToString()

    assert not replace_text(model)
    assert model.SerializeToString() == once


def without_names(model: Any) -> None:
    names = {tensor.name: f"weight_{number}" for number, tensor in enumerate(model.graph.initializer)}
    for tensor in model.graph.initializer:
        tensor.name = names[tensor.name]
    for node in model.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.name = ""


def in_half_precision(model: Any) -> None:
    for tensor in model.graph.initializer:
        if tensor.name.endswith("enc_p.proj.weight"):
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))


def of_old_operations(model: Any) -> None:
    model.opset_import[0].version = 12


def with_fewer_distances(model: Any) -> None:
    for tensor in model.graph.initializer:
        if tensor.name.endswith("attn_layers.0.emb_rel_v"):
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[:, :, :0], tensor.name))
    for node in model.graph.node:  # of the keys, whose name torch has not kept
        if node.name.endswith("attn_layers.0/MatMul_1"):
            (keys,) = (tensor for tensor in model.graph.initializer if tensor.name == node.input[1])
            keys.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(keys)[:, :, :3], keys.name))


def with_other_symbols(model: Any) -> None:
    model.graph.input[0].name = "symbols"


@pytest.mark.parametrize(
    "change", [without_names, in_half_precision, of_old_operations, with_fewer_distances, with_other_symbols]
)
def test_other_networks_are_left_as_they_are(change: Callable[[Any], None], by_torch: ByTorch) -> None:
    model = by_torch("tiny", 1)
    change(model)
    before = model.SerializeToString()

    assert not replace_text(model)
    assert model.SerializeToString() == before


@settings(max_examples=examples(25))
@given(data=st.data())
def test_whatever_is_missing_nothing_breaks(data: st.DataObject, by_torch: ByTorch) -> None:
    model = by_torch("tiny", 1)
    for part in (model.graph.node, model.graph.initializer):
        for _ in range(data.draw(st.integers(0, 2))):
            del part[data.draw(st.integers(0, len(part) - 1))]
    before = model.SerializeToString()

    if not replace_text(model):
        assert model.SerializeToString() == before


@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_has_another_name_sounds_the_same(data: st.DataObject, by_torch: ByTorch, tmp_path: Path) -> None:
    model, inputs = by_torch("tiny", 1), inputs_of(9)
    theirs = spoken(model, inputs, tmp_path)
    of_text = [one.name for one in model.graph.initializer if ".enc_p." in one.name or ".dp." in one.name]
    lost = data.draw(st.sets(st.sampled_from(of_text), max_size=3))
    for tensor in model.graph.initializer:
        tensor.name = f"other/{of_text.index(tensor.name)}" if tensor.name in lost else tensor.name
    for node in model.graph.node:
        node.input[:] = [f"other/{of_text.index(name)}" if name in lost else name for name in node.input]
        if any(name.startswith("other/") for name in node.input):
            node.name = node.name if data.draw(st.booleans()) else ""

    replace_text(model)

    ours = spoken(model, inputs, tmp_path)
    assert theirs.shape == ours.shape
    assert np.abs(ours - theirs).max() < 1e-4 * np.abs(theirs).max()
