"""A voice for another program: its files, that nothing else changes, and what a program cannot say."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tests.bundled import BUNDLED, DEFAULT
from tests.piper.conftest import MakeCheckpoint
from voxmatrix.cli import main
from voxmatrix.errors import BadInputError, DamagedFileError, MissingProgramError, UsageError
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export import package
from voxmatrix.piper.export.package import DATA, MODEL_CARD, PROGRAMS, TOKENS, write_package
from voxmatrix.piper.files import config_path

SAMPLES = Path(__file__).parents[3] / "samples" / "voices"


def weights(path: Path) -> dict[str, Any]:
    return {one.name: numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer}


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """A voice as others have it: without properties and a name, with symbols of two letters."""
    path = tmp_path / "theirs" / "en_US-nobody-low.onnx"
    path.parent.mkdir()
    model = onnx.load(str(SAMPLES / f"{DEFAULT}.onnx"))
    del model.metadata_props[:]
    onnx.helper.set_model_props(model, {"author": "nobody"})
    onnx.save(model, str(path))
    config = json.loads((SAMPLES / f"{DEFAULT}.onnx.json").read_text(encoding="utf-8"))
    config["phoneme_id_map"] |= {"aɪ": [161]}
    config |= {"dataset": "", "voxmatrix": {}, "piper_version": "1.0"}
    config_path(path).write_text(json.dumps(config), encoding="utf-8")
    return path


@pytest.mark.espeak
@pytest.mark.parametrize("program", PROGRAMS)
def test_anybodys_voice_is_written_for_each_program(program: str, public: Path, tmp_path: Path) -> None:
    before = public.read_bytes(), config_path(public).read_bytes()
    out = tmp_path / "out"

    made = write_package(public, program, out)

    assert sorted(one.name for one in made.files) == sorted(one.name for one in out.iterdir())
    theirs, ours = weights(public), weights(out / public.name)
    assert theirs.keys() == ours.keys() and all(np.array_equal(theirs[name], ours[name]) for name in theirs)
    config = json.loads((out / f"{public.name}.json").read_text(encoding="utf-8"))
    assert (config["dataset"], config["piper_version"]) == ("en_US-nobody-low", "1.0") and "aɪ" not in config[
        "phoneme_id_map"
    ]
    properties = {one.key: one.value for one in onnx.load(str(out / public.name)).metadata_props}
    assert (properties["author"], properties["comment"], properties["has_espeak"]) == ("nobody", "piper", "1")
    card = (out / MODEL_CARD).read_text(encoding="utf-8")
    assert made.install in card and "License: not known" in card and str(tmp_path) not in card
    assert (program in ("sherpa", "android")) == (out / TOKENS).exists() == (out / DATA / "phontab").exists()
    assert (public.read_bytes(), config_path(public).read_bytes()) == before


@pytest.mark.espeak
def test_tokens_are_the_symbols_with_their_ids(tmp_path: Path) -> None:
    write_package(SAMPLES / f"{DEFAULT}.onnx", "sherpa", tmp_path / "out")

    lines = (tmp_path / "out" / TOKENS).read_text(encoding="utf-8").splitlines()

    id_map = VoiceConfig.read(SAMPLES / f"{DEFAULT}.onnx.json").id_map
    assert {line[0]: [int(line[2:])] for line in lines} == id_map and "  3" in lines


@pytest.mark.slow
def test_a_training_is_exported_under_the_name_of_the_folder(
    make_checkpoint: MakeCheckpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "anna"
    words = ["export", "voice", str(make_checkpoint()), "--for", "homeassistant", "--out", str(out), "--noise", "0.2"]
    assert main.run([*words, "--json"]) == 3  # it has learned nothing
    assert "has not learned to speak yet" in capsys.readouterr().out
    assert main.run([*words, "--force", "--json"]) == 0

    made = json.loads(capsys.readouterr().out)
    assert made["files"] == ["anna.onnx", "anna.onnx.json", MODEL_CARD] and "share/piper" in made["install"]
    config = json.loads((out / "anna.onnx.json").read_text(encoding="utf-8"))
    assert (config["dataset"], config["inference"]["noise_scale"]) == ("anna", 0.2)

    assert main.run(words) == 2
    assert f"the folder {out} has files already" in capsys.readouterr().err
    write_package(SAMPLES / f"{DEFAULT}.onnx", "homeassistant", out, force=True)
    assert {"anna.onnx", f"{DEFAULT}.onnx"} < {one.name for one in out.iterdir()}


def test_a_voice_is_found_by_its_name_and_its_licence_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["export", "voice", BUNDLED[1], "--for", "piper", "--out", str(tmp_path / "out")]) == 0

    shown = capsys.readouterr()
    assert shown.out == f"{tmp_path / 'out'}: {BUNDLED[1]}.onnx, {BUNDLED[1]}.onnx.json, MODEL_CARD\n"
    assert f"piper -m {BUNDLED[1]}.onnx" in shown.err
    card = (tmp_path / "out" / MODEL_CARD).read_text(encoding="utf-8")
    assert "Language: es (Spanish)" in card and "License: Apache-2.0" in card and "kokoro/ef_dora" in card


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"phoneme_type": "text"}, "phonemes of type 'text'"),
        ({"vowel_clusters": [["a", "ɪ"]]}, r"symbols of several letters \('aɪ'\)"),
        ({"phoneme_id_map": {"_": [0], "^": [1], "$": [2], "a": [14, 15]}}, r"symbols of several ids \('a'\)"),
    ],
)
def test_what_sherpa_onnx_cannot_say_is_refused_and_piper_gets_it(
    change: dict[str, Any], said: str, public: Path, tmp_path: Path
) -> None:
    config = json.loads(config_path(public).read_text(encoding="utf-8")) | change
    config_path(public).write_text(json.dumps(config), encoding="utf-8")

    with pytest.raises(BadInputError, match=said):
        write_package(public, "sherpa", tmp_path / "out")

    assert not (tmp_path / "out").exists()
    write_package(public, "piper", tmp_path / "out")
    assert ("aɪ" in VoiceConfig.read(tmp_path / "out" / f"{public.name}.json").id_map) == ("vowel_clusters" in change)


def test_what_cannot_be_written_is_said(public: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="for is 'alexa'"):
        write_package(public, "alexa", tmp_path / "out")
    with pytest.raises(UsageError, match="a file"):
        write_package(public, "piper", public)
    monkeypatch.setattr(package, "data_folder", lambda: None)
    with pytest.raises(MissingProgramError, match="espeak-ng-data"):
        write_package(public, "sherpa", tmp_path / "out")
    public.write_bytes(public.read_bytes()[:-100])
    with pytest.raises(DamagedFileError, match="truncated"):
        write_package(public, "piper", tmp_path / "out")
    assert not (tmp_path / "out").exists()
