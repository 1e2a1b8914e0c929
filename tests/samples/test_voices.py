"""The voices that come along speak on a bare machine: without torch, programs or a network."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.bundled import BUNDLED
from voxmatrix.piper.config import VoiceConfig
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
    assert voice.stem in (voice.parent / "README.md").read_text(encoding="utf-8")


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
