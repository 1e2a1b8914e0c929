"""A voice's whole way inside the image, with every restriction: train → go on → export → speak → mp3, and a stop."""

import csv
import json
import re
import time
from pathlib import Path

import pytest

from tests.images.containers import Hardened, docker

pytestmark = [pytest.mark.docker, pytest.mark.slow]

TRAIN = (
    *("train", "/recordings", "--out", "/data/run", "--quality", "tiny", "--language", "en-us"),
    *("--batch-size", "4", "--accumulation", "1", "--validate-every", "1000", "--seed", "1"),
)
INTERRUPTED = 130
PATIENCE_SECONDS = 600


def _reached(run: Path) -> int:
    """The last step that metrics.csv tells of."""
    with (run / "metrics.csv").open(encoding="utf-8", newline="") as file:
        return max((int(line["step"]) for line in csv.DictReader(file) if line["step"]), default=0)


def _goes_on_from(hardened: Hardened, done: int) -> None:
    """Train two steps more in a new container, which must have begun where the last one ended."""
    said = hardened.run(*TRAIN, "--max-steps", str(done + 2), "--json")
    assert f"{done} of {done + 2} steps done" in said.stderr
    assert json.loads(said.stdout)["steps"] == done + 2


def test_it_speaks_at_once_with_the_voice_that_comes_along(hardened: Hardened) -> None:
    hardened.run("speak", "--text", "Hello", "--out", "/data/first.wav")
    assert (hardened.data / "first.wav").read_bytes().startswith(b"RIFF")


def test_it_trains(hardened: Hardened) -> None:
    said = hardened.run(*TRAIN, "--max-steps", "3", "--json")
    assert json.loads(said.stdout)["steps"] == 3
    assert (hardened.data / "run" / "last.ckpt").is_file()


def test_a_new_container_goes_on_where_the_last_one_ended(hardened: Hardened) -> None:
    _goes_on_from(hardened, 3)


def test_the_voice_is_exported_and_speaks(hardened: Hardened) -> None:
    hardened.run("export", "voice", "/data/run", "--out", "/data/voice.onnx")
    hardened.run("speak", "--voice", "/data/voice.onnx", "--text", "Hello there.", "--out", "/data/hello.wav")
    assert (hardened.data / "hello.wav").read_bytes().startswith(b"RIFF")


def test_docker_exec_exports_audio_in_a_running_container(hardened: Hardened) -> None:
    container = hardened.start("sleep", "600")
    try:
        docker("exec", container, "voxmatrix", "export", "audio", "/data/hello.wav", "--out", "/data/hello.mp3")
        docker("exec", container, "ffmpeg", "-v", "error", "-i", "/data/hello.mp3", "-f", "null", "-")
    finally:
        docker("rm", "--force", container)
    assert (hardened.data / "hello.mp3").stat().st_size > 1000


def test_docker_stop_saves_in_time_and_the_next_run_goes_on(hardened: Hardened) -> None:
    before = _reached(hardened.data / "run")
    container = hardened.start(*TRAIN, "--max-steps", "100000")
    try:
        _wait_for_a_step_after(before, hardened.data / "run", container)
        docker("stop", "--time", "10", container)
        code = int(docker("inspect", "--format", "{{.State.ExitCode}}", container).stdout)
        said = docker("logs", container)
    finally:
        docker("rm", "--force", container)
    assert code == INTERRUPTED, said.stdout + said.stderr  # an engine that loses patience kills: 137
    saved = re.findall(r"step (\d+): saved \S*last\.ckpt", said.stdout + said.stderr)
    assert int(saved[-1]) > before
    _goes_on_from(hardened, int(saved[-1]))


def _wait_for_a_step_after(step: int, run: Path, container: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while _reached(run) <= step:
        if time.monotonic() > deadline:
            said = docker("logs", container)
            pytest.fail(f"no step after {step} within {PATIENCE_SECONDS} s\n{said.stdout}{said.stderr}")
        time.sleep(0.2)


def test_nothing_in_the_mounted_folder_belongs_to_root(hardened: Hardened) -> None:
    owners = {path.lstat().st_uid for path in hardened.data.rglob("*")}
    assert owners == {int(hardened.user.partition(":")[0])}


def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(hardened: Hardened) -> None:
    said = hardened.run(*(word.replace("/data/run", "/recordings/run") for word in TRAIN), "--max-steps", "1", expect=8)
    assert "Traceback" not in said.stderr
    assert "/recordings/run" in said.stderr
