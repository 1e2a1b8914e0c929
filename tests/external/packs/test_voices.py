"""Voices of the pack `hf` from the command line: a recording that Pocket TTS imitates, and VibeVoice as it streams."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.toys.engines import install_pack, make_weights, write_toy_voice
from tests.voices.test_clone import recording
from voxmatrix.cli import main
from voxmatrix.external.voice_file import read_voice
from voxmatrix.models.style import Style
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice, resolve

pytestmark = pytest.mark.engines


def test_pocket_imitates_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = make_weights(install_pack(), "pocket", "pocket_tts")
    given = [
        "--engine",
        "hf",
        "--reference",
        str(recording(tmp_path / "me.wav")),
        "--consent",
        "Joe",
        "--language",
        "en",
    ]
    assert main.run(["voices", "clone", "me", *given]) == 0, capsys.readouterr()
    assert read_voice(resolve("me").path).weights == {"pocket": digest}

    words = ["--text", "Hello there.", "--seed", "1", "--device", "cpu", "--force"]
    heard = []
    for name in ("one.wav", "two.wav"):
        assert main.run(["speak", "--voice", "me", *words, "--out", str(tmp_path / name)]) == 0, capsys.readouterr()
        heard.append(soundfile.read(tmp_path / name)[0])
    assert len(heard[0]) and np.array_equal(*heard)


def test_vibevoice_is_heard_while_it_speaks(tmp_path: Path) -> None:
    digest = make_weights(install_pack(), "vibevoice-1-5b", "vibevoice")
    voice = resolve(write_toy_voice("big", engine="hf", language="en", weights={"vibevoice-1-5b": digest}))
    assert voice.capabilities.autoregressive and "cfg" in voice.capabilities.knobs
    opened = open_voice(voice)
    try:
        text = SpokenText("Hello there. How are you?", "Hello there. How are you?")
        pieces = [[segment() for segment in opened.say(text, Style(), 1).segments] for _ in range(2)]
        assert len(pieces[0][0]) == 12000 and sum(map(len, pieces[0])) == 12 * 3200
        assert np.array_equal(np.concatenate(pieces[0]), np.concatenate(pieces[1]))
    finally:
        opened.close()
