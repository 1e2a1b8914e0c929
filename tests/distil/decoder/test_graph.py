"""The decoder of a voice is found in exports of every kind; what is no voice is refused."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.piper.conftest import MakeCheckpoint
from voxmatrix.distil.decoder.graph import read_graph
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint


@pytest.mark.parametrize(("name", "speakers"), [("tiny", 1), ("tiny", 3), ("x_low", 3)])
def test_the_decoder_of_an_export_is_found(name: str, speakers: int, make_onnx: MakeCheckpoint) -> None:
    phonemes = "espeak" if name == "x_low" else "text"
    graph = read_graph(make_onnx(name, speakers, phonemes))

    assert graph.latent in {name for node in graph.model.graph.node for name in node.output}
    assert bool(graph.speaker) == (speakers > 1)
    assert graph.opset == 17


def test_weights_have_the_values_of_the_checkpoint(make_onnx: MakeCheckpoint, make_checkpoint: MakeCheckpoint) -> None:
    graph = read_graph(make_onnx("tiny", 3, "text"))
    state = read_checkpoint(make_checkpoint("tiny", 3, "text")).generator
    direction, length = (
        state[f"dec.resblocks.1.convs.1.parametrizations.weight.original{number}"] for number in (1, 0)
    )
    plain = direction * length / direction.norm(dim=(1, 2), keepdim=True)

    assert torch.allclose(torch.from_numpy(graph.weights["dec.resblocks.1.convs.1.weight"]), plain, atol=1e-6)
    assert np.array_equal(graph.weights["dec.conv_pre.weight"], state["dec.conv_pre.weight"].numpy())
    assert all(name.startswith("dec.") for name in graph.weights)


def test_other_networks_are_refused(make_onnx: MakeCheckpoint, tmp_path: Path) -> None:
    model = onnx.load(str(make_onnx("tiny", 1, "text")))
    for tensor in model.graph.initializer:
        tensor.name = tensor.name.replace("dec.conv_pre", "other")
    for node in model.graph.node:
        node.input[:] = [name.replace("dec.conv_pre", "other") for name in node.input]
    path = tmp_path / "other.onnx"
    onnx.save(model, str(path))

    with pytest.raises(BadInputError, match=r"no weight dec\.conv_pre\.weight"):
        read_graph(path)


def test_weights_in_another_file_are_refused(make_onnx: MakeCheckpoint, tmp_path: Path) -> None:
    model = onnx.load(str(make_onnx("tiny", 1, "text")))
    path = tmp_path / "voice.onnx"
    onnx.save(model, str(path), save_as_external_data=True, location="weights", size_threshold=0)

    with pytest.raises(BadInputError, match="in another file"):
        read_graph(path)


@given(data=st.data())
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_are_refused_or_read(data: st.DataObject, make_onnx: MakeCheckpoint, tmp_path: Path) -> None:
    content = bytearray(make_onnx("tiny", 1, "text").read_bytes())
    end = data.draw(st.integers(0, len(content)))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=5)):
        content[place] ^= 0x55
    path = tmp_path / "damaged.onnx"
    path.write_bytes(content[:end])

    try:
        read_graph(path)
    except (BadInputError, DamagedFileError) as error:
        assert str(path) in error.problem
