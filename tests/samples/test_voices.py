"""The voices that come along speak on a bare machine: without torch, programs or a network."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import soundfile
from onnx import numpy_helper

from tests.bundled import BUNDLED
from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.piper.card import card_of
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.metadata import metadata
from voxmatrix.piper.files import config_path

ROOT = Path(__file__).parents[2]
VOICES = sorted((ROOT / "samples" / "voices").glob("*.onnx"))
MAX_BYTES = 8_000_000


def test_they_are_there_and_each_is_small() -> None:
    assert [path.stem for path in VOICES] == [*BUNDLED]
    assert max(path.stat().st_size for path in VOICES) <= MAX_BYTES


@pytest.mark.parametrize("voice", VOICES, ids=lambda path: path.stem)
def test_its_card_says_what_it_is(voice: Path) -> None:
    config = VoiceConfig.read(config_path(voice))

    assert f"-{config.quality}" in voice.stem and voice.stem.startswith(f"{config.to_json()['language']['family']}_")
    assert config.dataset == voice.stem and {len(symbol) for symbol in config.id_map} == {1}
    properties = {one.key: one.value for one in onnx.load(str(voice)).metadata_props}
    assert properties == metadata(config), "python -m tools.default_voice.properties"
    assert voice.stem in (voice.parent / "README.md").read_text(encoding="utf-8")
    assert card_of(voice, config, config_path(voice)).license == "Apache-2.0"  # as certificates of audiobooks name it


@pytest.mark.parametrize(
    "words", ["Hello", "--voice=es_ES-dora-student ¿Hola?", "--voice=fr_FR-siwis-student Écoutez !"]
)
def test_they_are_heard_and_the_english_one_by_whom_names_none(words: str, tmp_path: Path) -> None:
    """As on a bare machine: no programs on the path, no home of voxmatrix, and torch must not be imported."""
    *options, text = words.split(" ", 1)
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from voxmatrix.cli.main import run\n"
        f"sys.exit(run(['speak', *{options}, '--text', {text!r}, '--out', 'hello.wav', '--seed', '1']))"
    )
    environment = os.environ | {"PATH": str(tmp_path), "VOXMATRIX_HOME": str(tmp_path)}

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    samples, rate_hz = soundfile.read(tmp_path / "hello.wav")
    assert 0.2 < len(samples) / rate_hz < 3
    assert 0.01 < float(np.sqrt(np.mean(samples**2))) < 0.5


@pytest.mark.parametrize("voice", VOICES, ids=lambda path: path.stem)
def test_they_say_the_same_on_every_processor(voice: Path) -> None:
    """Without VNNI, the products of two rows are added in 16 bits. With exact integers, all samples are the same."""
    model = onnx.load(str(voice))
    constants = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    exact: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.op_type == "MatMulInteger":
            given, weight, zero = node.input
            rows = np.abs(constants[weight].astype(np.int64))
            assert 255 * np.add.reduceat(rows, np.arange(0, len(rows), 2)).max() < 2**15
            wide = [f"{node.output[0]}/{part}" for part in ("given", "zero", "weight", "difference")]
            casts = zip((given, zero, weight), wide, strict=False)
            exact += [onnx.helper.make_node("Cast", [one], [name], to=onnx.TensorProto.INT32) for one, name in casts]
            exact.append(onnx.helper.make_node("Sub", wide[:2], wide[3:]))
            exact.append(onnx.helper.make_node("MatMul", [wide[3], wide[2]], node.output))
        else:
            exact.append(node)
    ids = np.random.default_rng(1).integers(3, 120, (1, 80))
    inputs = {"input": ids, "input_lengths": np.array([80]), "scales": np.array([0, 1, 0], np.float32)}

    fast = import_onnxruntime().InferenceSession(str(voice)).run(None, inputs)
    del model.graph.node[:]
    model.graph.node.extend(exact)
    slow = import_onnxruntime().InferenceSession(model.SerializeToString()).run(None, inputs)

    assert np.array_equal(fast[1], slow[1])
    assert np.allclose(fast[0], slow[0], atol=1e-4)


@pytest.mark.peers
@pytest.mark.parametrize("voice", VOICES, ids=lambda path: path.stem)
def test_piper_speaks_them(voice: Path) -> None:
    from piper import PiperVoice

    (chunk,) = PiperVoice.load(voice).synthesize("Radio")

    assert 0.2 < len(chunk.audio_float_array) / chunk.sample_rate < 3
