"""A voice's whole way inside the image, with every restriction: train → go on → export → speak → mp3, and a stop."""

import json
import time
from pathlib import Path

import pytest

from tests.images.containers import Hardened, docker

pytestmark = [pytest.mark.docker, pytest.mark.slow]

TRAIN = (
    *("train", "/recordings", "--out", "/data/run", "--quality", "tiny", "--language", "en-us"),
    *("--batch-size", "4", "--validate-every", "1000", "--seed", "1"),
)
KILLED = 137
PATIENCE_SECONDS = 180


def _steps(hardened: Hardened, up_to: int) -> int:
    """Train until `up_to` in a new container and return the step that was reached."""
    said = hardened.run(*TRAIN, "--max-steps", str(up_to), "--json").stdout
    steps: int = json.loads(said.strip().splitlines()[-1])["steps"]
    return steps


def _kinds(folder: Path) -> set[int]:
    return {path.lstat().st_uid for path in folder.rglob("*")}


def test_it_trains(hardened: Hardened) -> None:
    assert _steps(hardened, 3) == 3
    assert (hardened.data / "run" / "last.ckpt").is_file()


def test_a_new_container_goes_on_where_the_last_one_ended(hardened: Hardened) -> None:
    said = hardened.run(*TRAIN, "--max-steps", "5")
    assert "3" in said.stdout + said.stderr
    assert _steps(hardened, 5) == 5


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
    before = _steps(hardened, 5)
    container = hardened.start(*TRAIN, "--max-steps", "100000")
    try:
        _wait_for_a_step_after(hardened.data / "run", before, container)
        docker("stop", "--time", "10", container)
        state = json.loads(docker("inspect", "--format", "{{json .State}}", container).stdout)
        logs = docker("logs", container)
    finally:
        docker("rm", "--force", container)
    assert state["ExitCode"] not in (KILLED, 1), logs.stdout + logs.stderr
    assert "last.ckpt" in logs.stdout + logs.stderr
    reached = _steps(hardened, 1)  # nothing left to do: it says how far it is
    assert reached > before
    assert _steps(hardened, reached + 2) == reached + 2


def _wait_for_a_step_after(run: Path, step: int, container: str) -> None:
    """Until metrics.csv has a row of a later step than `step`."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        rows = (run / "metrics.csv").read_text(encoding="utf-8").splitlines()
        column = rows[0].split(",").index("step")
        if any(int(line.split(",")[column]) > step for line in rows[1:] if line.count(",") == rows[0].count(",")):
            return
        time.sleep(0.2)
    logs = docker("logs", container)
    pytest.fail(f"no step after {step} within {PATIENCE_SECONDS} s\n{logs.stdout}{logs.stderr}")


def test_nothing_in_the_mounted_folder_belongs_to_root(hardened: Hardened) -> None:
    assert _kinds(hardened.data) == {int(hardened.user.partition(":")[0])}


def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(hardened: Hardened) -> None:
    said = hardened.run(*(word.replace("/data/run", "/recordings/run") for word in TRAIN), "--max-steps", "1", expect=8)
    assert "Traceback" not in said.stderr
    assert "/recordings/run" in said.stderr
