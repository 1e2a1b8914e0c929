"""Voices of the pack `hf` from the command line: a recording that Pocket TTS imitates, and VibeVoice as it streams."""

import json
import subprocess
import sys
import venv
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest
import soundfile

from tests.toys.engines import write_toy_voice
from tests.voices.test_clone import recording
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.external.install import PACKS
from voxmatrix.external.installed import weights_folder
from voxmatrix.external.manifest import weights_digest
from voxmatrix.external.voice_file import read_voice
from voxmatrix.files import digest
from voxmatrix.models.style import Style
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice, resolve

pytestmark = pytest.mark.engines


def install(name: str, model: str) -> str:
    """The pack in an environment that borrows the packages of these tests, and random weights; returns their digest."""
    folder = home() / "engines" / "hf"
    folder.mkdir(parents=True)
    for path in (PACKS / "hf").iterdir():
        if path.is_file():
            copyfile(path, folder / path.name)
    venv.create(folder / "env", symlinks=True, with_pip=False)
    (packages,) = (folder / "env").glob("lib/*/site-packages")
    (packages / "tests.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    made = home() / "made"
    program = [str(folder / "env" / "bin" / "python"), "-I", str(folder / "fixture.py"), str(made), model]
    subprocess.run(program, check=True, capture_output=True)
    files = (path for path in made.rglob("*") if path.is_file())
    found = weights_digest({path.relative_to(made).as_posix(): digest(path) for path in files})
    weights_folder("").mkdir(parents=True)
    made.rename(weights_folder(found))
    weights_folder(f"{found}.json").write_text(json.dumps({"engine": "hf", "id": name}))
    return found


def test_pocket_imitates_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = install("pocket", "pocket_tts")
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
    digest = install("vibevoice-1-5b", "vibevoice")
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
