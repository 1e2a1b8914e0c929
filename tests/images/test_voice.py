"""A voice's whole way inside the image, with every restriction: train → go on → export → speak → mp3."""

import json

import pytest

from tests.images.containers import Hardened
from tests.images.voices import TRAIN

pytestmark = [pytest.mark.docker, pytest.mark.slow]


def test_it_speaks_at_once_with_the_voice_that_comes_along(hardened: Hardened) -> None:
    hardened.run("speak", "--text", "Hello", "--out", "/data/first.wav")
    assert (hardened.data / "first.wav").read_bytes().startswith(b"RIFF")


def test_it_trains_on_the_cpu_where_that_is_allowed_and_says_aloud_that_it_is_the_cpu(hardened: Hardened) -> None:
    words = TRAIN[: TRAIN.index("--device")]
    said = hardened.run(*words, "--max-steps", "3", "--json", also=("--env", "USE_GPU=auto"))
    assert json.loads(said.stdout.splitlines()[-1])["steps"] == 3
    assert (hardened.data / "run" / "last.ckpt").is_file()
    assert "warning: no GPU was found; training on the CPU is many times slower" in said.stderr
    assert "in a container add --gpus all" in said.stderr


def test_a_new_container_goes_on_where_the_last_one_ended(hardened: Hardened) -> None:
    said = hardened.run(*TRAIN, "--max-steps", "5", "--json")
    assert "3 of 5 steps done" in said.stderr
    assert json.loads(said.stdout.splitlines()[-1])["steps"] == 5


def test_the_voice_is_exported_and_speaks(hardened: Hardened) -> None:
    hardened.run("export", "voice", "/data/run", "--out", "/data/voice.onnx")
    hardened.run("speak", "--voice", "/data/voice.onnx", "--text", "Hello there.", "--out", "/data/hello.wav")
    assert (hardened.data / "hello.wav").read_bytes().startswith(b"RIFF")


def test_docker_exec_exports_audio_in_a_running_container(hardened: Hardened) -> None:
    with hardened.started("sleep", "600") as container:
        container.exec("voxmatrix", "export", "audio", "/data/hello.wav", "--out", "/data/hello.mp3")
        container.exec("ffmpeg", "-v", "error", "-i", "/data/hello.mp3", "-f", "null", "-")
    assert (hardened.data / "hello.mp3").stat().st_size > 1000


def test_nothing_in_the_mounted_folder_belongs_to_somebody_else(hardened: Hardened) -> None:
    assert hardened.strangers() == []
