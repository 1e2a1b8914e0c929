"""Each pack is installed as users do, and speaks with its genuine code and small random weights."""

import wave
from pathlib import Path

import numpy as np
import pytest

from tests.toys.engines import make_weights, write_toy_voice
from voxmatrix.cli import main
from voxmatrix.external.installed import find_engine, packs
from voxmatrix.voices.clone import keep_recording

pytestmark = pytest.mark.packs

_TEXT = "This is a trial of the voice. Nice to meet you."


@pytest.mark.parametrize("name", packs())
def test_it_is_installed_speaks_and_repeats_itself_with_a_seed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["engines", "install", name]) == 0, capsys.readouterr().err
    engine = find_engine(name)
    weights = engine.manifest.weights[0].id
    digest = make_weights(engine, weights)
    recording = (np.random.default_rng(1).standard_normal(48_000 * 4) / 10).astype(np.float32)
    reference = {"sha256": keep_recording(recording)}
    language = engine.manifest.can.languages[0]
    write_toy_voice("me", engine=name, language=language, weights={weights: digest}, reference=reference)

    def speak(*words: str) -> np.ndarray:
        out = tmp_path / "out.wav"
        given = ["--voice", f"{name}/me", "--text", _TEXT, "--device", "cpu", "--out", str(out), "--force"]
        assert main.run(["speak", *given, *words]) == 0, capsys.readouterr().err
        with wave.open(str(out)) as sound:
            return np.frombuffer(sound.readframes(10**9), "<i2")

    first = speak("--seed", "1")
    assert np.array_equal(speak("--seed", "1"), first) and np.abs(first.astype(float)).mean() > 10
    assert not np.array_equal(speak("--seed", "2"), first)
    for knob, row in engine.manifest.of(weights).knob.items():
        if knob in ("cfg", "sad"):
            assert not np.array_equal(speak("--seed", "1", "--set", f"{knob}={row.most}"), first)
    assert main.run(["engines", "check", name]) == 0, capsys.readouterr().err
