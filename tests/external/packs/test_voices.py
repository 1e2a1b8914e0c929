"""Voices of the pack `hf` from the command line: a recording that Pocket TTS imitates, and VibeVoice as it streams."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.toys.engines import install_pack, make_weights, write_toy_voice
from tests.toys.recordings import recording
from voxmatrix.cli import main
from voxmatrix.external.voice_file import read_voice
from voxmatrix.models.style import Runtime, Style
from voxmatrix.speak.output import speak_opened
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.cast import CastVoice, role_of, with_voices_of
from voxmatrix.voices.clone import keep_recording
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


def test_vibevoice_speaks_a_script_with_the_recording_of_each_speaker(tmp_path: Path) -> None:
    digest = make_weights(install_pack(), "vibevoice-1-5b", "vibevoice")
    sha256 = keep_recording(np.random.default_rng(1).standard_normal(48_000 * 4).astype(np.float32) / 10)
    facts = {"engine": "hf", "language": "en", "weights": {"vibevoice-1-5b": digest}}
    voice, ann = resolve(write_toy_voice("big", **facts)), write_toy_voice("ann", reference={"sha256": sha256}, **facts)
    text = "Speaker 1: Hello there.\nSpeaker 2: Hi. How are you?\n"
    casts = {"one": {}, "again": {}, "ann": {"speaker 2": role_of(resolve(ann))}}
    heard = {}
    with closing(CastVoice(open_voice(voice, runtime=Runtime(threads=1)), open_voice)) as opened:
        for name, cast in casts.items():
            style = with_voices_of(Style(seed=1, cast=cast), text, voice)
            speak_opened(tmp_path / f"{name}.wav", text, opened, style)
            heard[name] = soundfile.read(tmp_path / f"{name}.wav")[0]
    assert {len(samples) for samples in heard.values()} == {12 * 3200}  # one request, which the fixture ends
    assert np.array_equal(heard["one"], heard["again"]) and not np.array_equal(heard["one"], heard["ann"])
