"""An exported voice speaks like its checkpoint: in our runtime, and in Piper's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from tests.piper.spoken import spoken
from voxmatrix.errors import BadInputError, DamagedFileError, UsageError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.export import verify
from voxmatrix.piper.export.export import export_voice
from voxmatrix.piper.voice import open_piper_voice
from voxmatrix.text.front import front_end
from voxmatrix.text.spoken import SpokenText
from voxmatrix.vits.checkpoint.checkpoint import EXTRA

STILL = SynthesisOptions(noise=0.0, noise_w=0.0)
KINDS = [("tiny", 1, "espeak"), ("tiny", 1, "text"), ("tiny", 3, "text"), ("x_low", 3, "espeak"), ("fast", 3, "text")]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_the_onnx_has_the_inputs_and_the_output_that_piper_expects(make_onnx: Any, kind: tuple[Any, ...]) -> None:
    graph = onnx.load(make_onnx(*kind)).graph

    names = [one.name for one in graph.input]
    assert names == ["input", "input_lengths", "scales", *(["sid"] if kind[1] > 1 else [])]
    assert [one.name for one in graph.output] == ["output"]
    assert [node.op_type for node in graph.node].count("Ceil") == 1  # where Piper finds durations
    onnx.checker.check_model(onnx.load(make_onnx(*kind)))
    assert not any("flow/flows" in node.name for node in graph.node)  # the flow with fewer multiplications


@pytest.mark.parametrize("quality", ["tiny", "fast"])
def test_a_batch_of_sentences_can_be_asked_at_once(make_onnx: Any, quality: str) -> None:
    session = onnxruntime_session(make_onnx(quality))
    inputs = {
        "input": np.ones((3, 20), np.int64),
        "input_lengths": np.array([20, 11, 5]),
        "scales": np.array([0, 1, 0], np.float32),
    }

    output = session.run(None, inputs)[0]

    assert output.shape[:3] == (3, 1, 1) and output.shape[3] > 256


@pytest.mark.parametrize("speakers", [1, 3])
def test_the_decoder_of_fast_has_2_d_convolutions(make_onnx: Any, make_checkpoint: Any, speakers: int) -> None:
    model = onnx.load(make_onnx("fast", speakers, "text"))
    weights = {tensor.name: len(tensor.dims) for tensor in model.graph.initializer}
    session = onnxruntime_session(make_onnx("fast", speakers, "text"))
    inputs = {
        "input": np.ones((1, 20), np.int64),
        "input_lengths": np.array([20]),
        "scales": np.array([0, 1, 0], np.float32),
        **({"sid": np.array([2])} if speakers > 1 else {}),
    }

    output = session.run(None, inputs)[0]

    onnx.checker.check_model(model)
    convolutions = {
        node.input[1] for node in model.graph.node if node.op_type.startswith("Conv") and ".dec." in node.input[1]
    }
    assert len(convolutions) > 7 and {weights[name] for name in convolutions} == {4}
    assert output.shape[:3] == (1, 1, 1) and output.shape[3] > 256


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_it_speaks_like_torch(make_onnx: Any, make_checkpoint: Any, kind: tuple[Any, ...], ids: list[int]) -> None:
    speaker = kind[1] - 1
    with open_piper_voice(make_onnx(*kind)) as exported, open_piper_voice(make_checkpoint(*kind)) as trained:
        options = SynthesisOptions(noise=0.0, noise_w=0.0, speaker=speaker, length=1.2)
        ours, theirs = spoken(exported, ids, options), spoken(trained, ids, options)

    assert ours.shape == theirs.shape and len(ours) > 4096
    assert np.abs(ours - theirs).max() <= 1e-4
    assert np.abs(theirs).max() > 0.01  # the comparison means something


@pytest.mark.peers
@pytest.mark.espeak
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_piper_speaks_it_like_our_torch(make_onnx: Any, make_checkpoint: Any, kind: tuple[Any, ...]) -> None:
    from piper import PiperVoice, SynthesisConfig

    speaker = kind[1] - 1
    still = SynthesisConfig(
        noise_scale=0.0, noise_w_scale=0.0, length_scale=1.1, normalize_audio=False, speaker_id=speaker
    )
    piper = PiperVoice.load(make_onnx(*kind))
    text = "the birch canoe slid on the smooth planks."

    chunks = list(piper.synthesize(text, still))

    with open_piper_voice(make_checkpoint(*kind)) as trained:
        assert len(chunks) == 1
        options = SynthesisOptions(noise=0.0, noise_w=0.0, length=1.1, speaker=speaker)
        ours = spoken(trained, chunks[0].phoneme_ids, options)
        with front_end("en-us", kind[2], trained.config.id_map) as front:
            assert [sentence.ids for sentence in front.sentences([SpokenText(text, text)])] == [chunks[0].phoneme_ids]
    theirs = chunks[0].audio_float_array
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= 1e-4


@pytest.mark.peers
def test_piper_reads_the_card_and_its_command_line_speaks(make_onnx: Any, tmp_path: Path) -> None:
    import subprocess
    import sys
    import wave

    path = make_onnx("tiny", 3, "text")
    out = tmp_path / "piper.wav"
    command = [sys.executable, "-m", "piper", "-m", str(path), "-f", str(out), "--speaker", "2"]
    subprocess.run(command, input=b"hello there\n", check=True, capture_output=True)

    with wave.open(str(out)) as file:
        assert file.getnframes() > 1000


def test_the_card_says_where_the_voice_came_from(make_onnx: Any) -> None:
    path = make_onnx()
    config = json.loads(path.with_name("voice.onnx.json").read_text())
    made = config["voxmatrix"]

    assert made["torch"] == torch.__version__ and made["steps"] == 7 and len(made["checkpoint_sha256"]) == 64
    assert config["audio"] == {"sample_rate": 16000, "quality": "tiny"} or config["audio"]["quality"] == "tiny"
    assert config["language"]["family"] == "en"
    properties = {one.key: one.value for one in onnx.load(path).metadata_props}
    assert json.loads(properties.pop("voxmatrix")) == made
    assert properties == {  # what sherpa-onnx asks
        "model_type": "vits",
        "comment": "piper",
        "language": "English",
        "voice": "en-us",
        "has_espeak": "1",
        "n_speakers": "1",
        "sample_rate": "16000",
    }
    assert config["dataset"] == "voice" and {len(symbol) for symbol in config["phoneme_id_map"]} == {1}


def test_nobodys_folders_go_out_into_the_world(
    checkpoint_content: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    content = checkpoint_content()
    content[EXTRA]["recipe"] = {"quality": "tiny", "start_from": "/home/anna/secret/epoch=2.ckpt"}
    torch.save(content, tmp_path / "voice.ckpt")

    config = export_voice(tmp_path / "voice.ckpt", tmp_path / "voice.onnx").config.read_text()

    assert json.loads(config)["voxmatrix"]["settings"] == {"quality": "tiny", "start_from": "epoch=2.ckpt"}
    assert "anna" not in config


def test_how_it_varies_by_itself_can_be_said(make_checkpoint: Any, tmp_path: Path) -> None:
    config = export_voice(make_checkpoint(), tmp_path / "voice.onnx", noise=0.3).config

    assert json.loads(config.read_text())["inference"] == {"noise_scale": 0.3, "length_scale": 1.0, "noise_w": 0.8}
    with pytest.raises(UsageError, match="noise_w is -1"):
        export_voice(make_checkpoint(), tmp_path / "other.onnx", noise_w=-1)
    assert not (tmp_path / "other.onnx").exists()


def test_what_is_there_is_replaced_only_when_told(make_checkpoint: Any, tmp_path: Path) -> None:
    out = tmp_path / "voice.onnx"
    (tmp_path / "voice.onnx.json").write_text("mine")

    with pytest.raises(UsageError, match="already exists"):
        export_voice(make_checkpoint(), out)

    assert (tmp_path / "voice.onnx.json").read_text() == "mine" and not out.exists()
    assert export_voice(make_checkpoint(), out, force=True).difference <= 1e-4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["voice.onnx", "voice.onnx.json"]


def test_a_voice_that_speaks_differently_is_not_kept(
    make_checkpoint: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "largest_difference", lambda *_: 0.01)

    with pytest.raises(DamagedFileError, match="differs") as caught:
        export_voice(make_checkpoint(), tmp_path / "voice.onnx")

    assert caught.value.exit_code == 9 and caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_no_numbers_are_not_kept(
    checkpoint_content: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    content = checkpoint_content()
    content["state_dict"]["model_g.dec.conv_post.weight"].fill_(float("nan"))
    torch.save(content, tmp_path / "bad.ckpt")

    with pytest.raises(DamagedFileError):
        export_voice(tmp_path / "bad.ckpt", tmp_path / "out" / "voice.onnx")

    assert not (tmp_path / "out").exists()


def test_a_place_that_is_no_onnx_is_refused(make_checkpoint: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"voice\.mp3"):
        export_voice(make_checkpoint(), tmp_path / "voice.mp3")


def test_an_exported_voice_is_no_checkpoint(make_onnx: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="exported voice"):
        export_voice(make_onnx(), tmp_path / "again.onnx")


def onnxruntime_session(path: Path) -> Any:
    import onnxruntime

    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
