"""How fast a voice speaks is measured once, and kept."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.piper.conftest import *  # noqa: F403  # its voices
from voxmatrix.config import home
from voxmatrix.models.card import VoiceCard
from voxmatrix.speak import speed
from voxmatrix.speak.speed import kept_speed, measured_speed, speed_of
from voxmatrix.voices.resolve import resolve


@pytest.fixture
def voice(make_onnx: Any) -> VoiceCard:
    return resolve(make_onnx("tiny", phoneme_type="text"))


def test_a_free_computer_is_at_least_as_fast_as_a_busy_one(voice: VoiceCard) -> None:
    found = measured_speed(voice)
    assert 0 < found.slow <= found.fast


def test_a_voice_is_measured_once(voice: VoiceCard, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept_speed(voice) is None
    found = speed_of(voice)
    monkeypatch.setattr(speed, "measured_speed", lambda voice: pytest.fail("it is known"))
    assert speed_of(voice).slow == pytest.approx(found.slow, abs=0.001)
    assert kept_speed(replace(voice, id="another voice of the same network")) == kept_speed(voice)


def test_another_computer_or_another_file_is_measured_again(
    voice: VoiceCard, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    speed_of(voice)
    with monkeypatch.context() as patch:
        patch.setattr(speed, "read_cpu", lambda: "Another")
        assert kept_speed(voice) is None
    copied = tmp_path / voice.path.name
    copied.write_bytes(voice.path.read_bytes())
    os.utime(copied, (1, 1))
    assert kept_speed(replace(voice, files=(copied, *voice.files[1:]))) is None


@pytest.mark.parametrize("content", ["", "no JSON", "[]", '{"KEY": 7}', '{"KEY": {"slow": "x", "fast": 1}}'])
def test_a_damaged_file_of_speeds_is_measured_again(voice: VoiceCard, content: str) -> None:
    path = home() / "cache" / "voice-speeds.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content.replace("KEY", speed._key(voice)), encoding="utf-8")
    assert kept_speed(voice) is None
