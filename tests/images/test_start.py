"""How a container starts: one process, one import of torch, and the environment that `docker exec` finds."""

import json

import pytest

from tests.bundled import BUNDLED
from tests.images.containers import Hardened
from tests.images.voices import TRAIN
from tests.images.witnessed import witnessed
from tools import matrix

pytestmark = [pytest.mark.docker, pytest.mark.slow]

#: Who runs as process 1, and which other processes there are, by the numbers of /proc.
PROCESSES = "cd /proc && for one in [0-9]*; do cat $one/comm 2>/dev/null; done; echo parent $PPID"


def test_one_process_patches_checks_and_trains_and_imports_torch_once(hardened: Hardened) -> None:
    """The entrypoint hands over by a call: another process, or an exec, would start and import anew."""
    _, processes = witnessed(hardened, *TRAIN, "--max-steps", "1")
    first = [process for process in processes if process.parent == 1]  # tini's only child
    assert [process.words[:4] for process in first] == [("python3", "-m", "voxmatrix_entrypoint", "train")]
    assert [process.number for process in processes if "torch" in process.imports] == [first[0].number]
    assert first[0].imports.count("torch") == 1


def test_a_checkpoint_speaks_with_one_import_of_torch(hardened: Hardened) -> None:
    words = ("speak", "--voice", "/data/run", "--text", "Hello", "--out", "/data/hello.wav")
    _, processes = witnessed(hardened, *words)
    assert [name for process in processes for name in process.imports] == ["torch"]


def test_the_voice_that_comes_along_speaks_without_torch(hardened: Hardened) -> None:
    _, processes = witnessed(hardened, "speak", "--text", "Hello", "--out", "/data/first.wav")
    assert [name for process in processes for name in process.imports] == ["onnxruntime"]


@pytest.mark.parametrize("voice", BUNDLED)
def test_an_empty_home_speaks_what_the_build_has_prepared(hardened: Hardened, voice: str) -> None:
    home = ("--env", "VOXMATRIX_HOME=/data/fresh")
    hardened.run("speak", "--voice", voice, "--text", "Hello", "--out", f"/data/{voice}.wav", also=home)
    assert not (hardened.data / "fresh" / "cache" / "prepared").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("devices",),
        ("plan",),
        ("patches",),
        ("doctor", "--no-smoke", "--device", "cpu"),
        ("train", "--help"),
    ],
)
def test_what_computes_nothing_imports_nothing_heavy(hardened: Hardened, words: tuple[str, ...]) -> None:
    _, (process,) = witnessed(hardened, *words)
    assert process.imports == ()


def test_a_foreign_command_takes_the_place_of_the_entrypoint(hardened: Hardened) -> None:
    """No Python stays between tini and it."""
    # On a slow computer, Docker's health check would be one of the processes.
    *names, parent = hardened.run("bash", "-c", PROCESSES, also=("--no-healthcheck",)).stdout.splitlines()
    assert parent == "parent 1"
    assert sorted(set(names) - {"cat"}) == ["bash", "tini"]


def test_a_foreign_command_is_patched_by_nobody_and_imports_nothing(hardened: Hardened) -> None:
    _, (process,) = witnessed(hardened, "true")
    assert process.imports == ()


def test_docker_exec_finds_the_environment(hardened: Hardened, row: matrix.Row) -> None:
    with hardened.started("sleep", "600") as container:
        said = json.loads(container.exec("voxmatrix", "doctor", "--no-smoke", "--device", "cpu", "--json").stdout)
        assert said["image"] == row.name
        assert container.exec("bash", "-c", "echo $VOXMATRIX_HOME $HOME").stdout == "/data /data\n"
        container.exec("voxmatrix", "speak", "--text", "Hello", "--out", "/data/by-exec.wav")
        container.exec("python3", "-m", "voxmatrix_entrypoint", "nonsense", expect=2)
        container.exec("voxmatrix", "export", "audio", "/data/by-exec.wav", "--out", "/data/by-exec.mp3")
        container.exec("ffmpeg", "-v", "error", "-i", "/data/by-exec.mp3", "-f", "null", "-")
    assert (hardened.data / "by-exec.wav").read_bytes().startswith(b"RIFF")
    assert (hardened.data / "by-exec.mp3").stat().st_size > 1000
    assert hardened.strangers() == []
