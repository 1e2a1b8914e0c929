"""Voices are found, opened and refused; speakers are known by name and by number."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.models.gpus import T4, on
from tests.piper.spoken import spoken
from tests.speak.saying import say
from voxmatrix.errors import BadInputError, DamagedFileError, NoDeviceError
from voxmatrix.models.style import Style
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.voice import open_piper_voice
from voxmatrix.text.phonemes.espeak import espeak_version
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import resolve

STILL = SynthesisOptions(noise=0.0, noise_w=0.0)


@pytest.fixture
def voice(make_onnx: Any, tmp_path: Path) -> Path:
    """A voice in a folder of its own, to be damaged."""
    for name in ("voice.onnx", "voice.onnx.json"):
        shutil.copy(make_onnx("tiny", 3, "text").with_name(name), tmp_path)
    return tmp_path / "voice.onnx"


def edit_card(voice: Path, **changes: Any) -> None:
    path = voice.with_name(voice.name + ".json")
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changes}), encoding="utf-8")


def test_a_speaker_is_known_by_name_by_number_and_by_default(voice: Path) -> None:
    edit_card(voice, default_speaker_id=1)
    with open_piper_voice(voice) as opened:
        assert [opened.card.speaker(name) for name in ("anna", "cleo", "2", 0, None, "")] == [0, 2, 2, 0, 1, 1]


@pytest.mark.parametrize("name", ["dora", "3", "-1", "1.0", "٣", "9" * 40, 3, "Anna"])
def test_a_speaker_that_the_voice_has_not_is_refused_with_those_it_has(voice: Path, name: Any) -> None:
    with open_piper_voice(voice) as opened, pytest.raises(BadInputError, match="no speaker") as caught:
        opened.card.speaker(name)

    assert "anna, bo, cleo, or a number from 0 to 2" in caught.value.remedy


def test_a_name_that_is_a_number_is_a_name_first(voice: Path) -> None:
    edit_card(voice, speaker_id_map={"2": 0, "1": 1, "0": 2})
    with open_piper_voice(voice) as opened:
        assert opened.card.speaker("2") == 0


def test_a_folder_is_its_best_checkpoint_else_its_last_else_its_only_onnx(
    make_checkpoint: Any, make_onnx: Any, tmp_path: Path
) -> None:
    for name in ("voice.onnx", "voice.onnx.json"):
        shutil.copy(make_onnx("tiny", 1, "text").with_name(name), tmp_path)
    with open_piper_voice(resolve(tmp_path).path) as opened:
        assert opened.card.path.name == "voice.onnx"
    shutil.copy(make_checkpoint(), tmp_path / "last.ckpt")
    with open_piper_voice(resolve(tmp_path).path) as opened:
        assert opened.card.path.name == "last.ckpt"
    shutil.copy(make_checkpoint(), tmp_path / "best.ckpt")
    with open_piper_voice(resolve(tmp_path).path) as opened:
        assert opened.card.path.name == "best.ckpt"


def test_a_folder_without_a_voice_or_with_two_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="contains 0 voices"):
        open_piper_voice(resolve(tmp_path).path)
    (tmp_path / "a.onnx").touch()
    (tmp_path / "b.onnx").touch()
    with pytest.raises(BadInputError, match="contains 2 voices") as caught:
        open_piper_voice(resolve(tmp_path).path)
    assert "a.onnx" in caught.value.remedy


def test_no_file_no_card_no_torch_file(voice: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"no voice .*nothing\.onnx"):
        resolve(tmp_path / "nothing.onnx")
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises((BadInputError, DamagedFileError), match=r"notes\.txt"):
        open_piper_voice(tmp_path / "notes.txt")
    voice.with_name("voice.onnx.json").unlink()
    with pytest.raises(BadInputError, match=r"voice\.onnx\.json") as caught:
        open_piper_voice(voice)
    assert caught.value.remedy


def test_a_voice_of_other_phonemes_is_refused_before_anything_loads(voice: Path) -> None:
    edit_card(voice, phoneme_type="pinyin")

    with pytest.raises(BadInputError, match="pinyin") as caught:
        open_piper_voice(voice)

    assert "espeak, text, hebrew, japanese" in caught.value.remedy


def test_what_is_wrong_with_the_network_shows_when_it_is_asked(voice: Path) -> None:
    voice.write_bytes(voice.read_bytes()[:9999])

    with open_piper_voice(voice) as opened, pytest.raises(DamagedFileError, match="9,999 bytes"):
        spoken(opened, [1, 0, 2], STILL)


def test_weights_that_are_no_numbers_are_heard_as_an_error(
    checkpoint_content: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    content = checkpoint_content()
    content["state_dict"]["model_g.dec.conv_post.weight"].fill_(float("inf"))
    torch.save(content, tmp_path / "bad.ckpt")

    with pytest.raises(DamagedFileError, match="not finite"):
        say(tmp_path / "out.wav", "Hello.", tmp_path / "bad.ckpt")


def test_a_checkpoint_of_piper_takes_its_card_from_beside_it(
    checkpoint_content: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    content = checkpoint_content()
    config = content.pop("voxmatrix")["card"]
    torch.save(content, tmp_path / "epoch=1.ckpt")
    with pytest.raises(BadInputError, match=r"config\.json"):
        open_piper_voice(tmp_path / "epoch=1.ckpt")
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")

    with open_piper_voice(tmp_path / "epoch=1.ckpt") as opened:
        assert len(spoken(opened, [1, 0, 20, 0, 2], STILL)) > 0

    (tmp_path / "config.json").write_text(json.dumps({**config, "num_speakers": 2}), encoding="utf-8")
    with pytest.raises(BadInputError, match="do not match"):
        open_piper_voice(tmp_path / "epoch=1.ckpt")


def test_a_seed_decides_how_a_checkpoint_sounds_and_leaves_other_randomness_alone(
    make_checkpoint: Any, ids: list[int]
) -> None:
    checkpoint = make_checkpoint()  # the first test that needs it draws its weights

    def twice(seed: int | None) -> list[np.ndarray]:
        with open_piper_voice(checkpoint) as opened:
            return [spoken(opened, ids, SynthesisOptions(), seed) for _ in range(2)]

    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    first, again, other = twice(1), twice(1), twice(2)

    assert torch.equal(torch.rand(3), expected)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert np.array_equal(first[0], first[1]) and not np.array_equal(first[0], other[0])
    assert not np.array_equal(*twice(None))


def test_the_default_voice_stays_on_the_cpu_and_says_so_where_a_gpu_was_chosen() -> None:
    path = resolve().path
    with open_piper_voice(path, device=on(T4)) as voice:
        assert len(spoken(voice, [1, 20, 2], SynthesisOptions())) > 0
    with pytest.raises(NoDeviceError, match=r"on the CPU only, and cuda:1 \(Tesla T4\) was chosen"):
        open_piper_voice(path, device=on(T4, required=True))


@pytest.mark.espeak
@pytest.mark.parametrize(("version", "warned"), [(None, False), ("1.0.1", True), ("installed", False)])
def test_a_voice_that_learned_from_another_espeak_ng_says_so_once(
    version: str | None, warned: bool, voice: Path
) -> None:
    named = espeak_version() if version == "installed" else version
    edit_card(voice, phoneme_type="espeak", espeak={"voice": "en-us", **({"version": named} if named else {})})
    with closing(open_piper_voice(voice)) as opened:
        spoken_twice = [opened.say(SpokenText("Hello.", "Hello."), Style(), 1) for _ in range(2)]
        assert all(one.phonemes and not one.findings for one in spoken_twice)
        assert [finding.problem.count("espeak-ng 1.0.1") for finding in opened.warnings()] == [1] * warned
