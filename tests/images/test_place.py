"""What a container may lack around the app: shared memory, a folder that can be written, a disk with room."""

import json

import pytest

from tests.images.containers import Hardened, docker
from tests.images.test_device import IN_MACHINE, describe
from tests.images.voices import TRAIN
from tools import matrix
from tools.images.example_gpus import usable

pytestmark = pytest.mark.docker

CANNOT_WRITE = 8
NOT_ENOUGH_MEMORY = 6
LITTLE = ("--shm-size", "1m")


@pytest.mark.slow
@pytest.mark.usefixtures("one_image")
def test_workers_without_shared_memory_are_given_up_aloud_and_the_training_goes_on(hardened: Hardened) -> None:
    words = (*TRAIN, "--max-steps", "4", "--workers", "2", "--json")
    done = hardened.run(*words, also=LITTLE)
    assert json.loads(done.stdout.splitlines()[-1])["steps"] == 4
    assert "warning: a loading worker failed (" in done.stderr
    assert "raise --shm-size of the container); batches are now loaded without workers" in done.stderr
    assert "Traceback" not in done.stderr


def test_little_shared_memory_is_said_before_a_training_on_a_gpu(hardened: Hardened, row: matrix.Row) -> None:
    if not row.cuda:
        pytest.skip("torch without CUDA trains on the CPU, which loads batches without workers")
    describe(hardened, usable(row), shm_mib=64)
    done = hardened.run("train", "/nowhere", "--out", "/data/run", expect=None, also=IN_MACHINE)
    assert "/dev/shm has only 64 MiB free" in done.stderr
    assert "--shm-size" in done.stderr


#: Every command that writes, by what it is told to write.
WRITE = {
    "train": (*TRAIN, "--max-steps", "1"),
    "prepare": ("prepare", "/recordings", "--language", "en-us"),
    "speak": ("speak", "--text", "Hello", "--out", "/data/theirs.wav"),
    "speak --batch": ("speak", "--batch", "/recordings/metadata.csv", "--out", "/data/theirs"),
    "export audio": ("export", "audio", "/recordings/wavs/en-01.flac", "--out", "/data/theirs.mp3"),
    "book": ("book", "/recordings/metadata.csv", "--out", "/data/theirs.m4b"),
    "doctor --record": ("doctor", "--no-smoke", "--record", "/data/theirs.json"),
    "devices select": ("devices", "select", "cpu"),
    "bench --picture": ("bench", "matmul", "--size", "64", "--runs", "1", "--picture", "/data/theirs.svg"),
}


@pytest.mark.usefixtures("one_image")
@pytest.mark.parametrize("words", WRITE.values(), ids=WRITE)
def test_a_folder_of_somebody_else_is_exit_8_with_the_line_that_mends_it(
    hardened: Hardened, words: tuple[str, ...]
) -> None:
    before = sorted(hardened.data.rglob("*"))
    hardened.data.chmod(0o755)
    done = hardened.run(*words, expect=CANNOT_WRITE, also=("--user", "54321:54321"))
    assert '--user "$(id -u):0"' in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(hardened.data.rglob("*")) == before


@pytest.mark.parametrize("out", ["/recordings/run", "/elsewhere/run"], ids=["a read-only mount", "the image itself"])
def test_a_place_that_is_read_only_is_exit_8_before_anything_is_read(hardened: Hardened, out: str) -> None:
    done = hardened.run("train", "/nowhere", "--out", out, expect=CANNOT_WRITE)
    assert f"cannot write {out}: Read-only file system" in done.stderr
    assert "mount a writable folder" in done.stderr


def test_without_a_folder_at_all_it_is_said_that_one_must_be_mounted(image: str) -> None:
    words = ("speak", "--text", "Hello", "--out", "/data/hello.wav")
    done = docker("run", "--rm", "--read-only", "--tmpfs", "/tmp", image, *words, expect=CANNOT_WRITE)
    assert "mount a writable folder" in done.stderr


def test_memory_that_cannot_suffice_is_exit_6_and_not_a_kill(hardened: Hardened) -> None:
    words = ["medium" if word == "tiny" else word for word in TRAIN]
    done = hardened.run(*words, expect=NOT_ENOUGH_MEMORY, also=("--memory", "700m"))
    assert "there are only 700 MiB" in done.stderr


def test_an_out_that_is_not_mounted_is_warned_about(image: str) -> None:
    words = ("speak", "--text", "Hello", "--out", "/data/hello.wav")
    done = docker("run", "--rm", "--network", "none", image, *words)
    assert "/data is inside the container" in done.stderr
    assert '-v "$PWD/data:/data"' in done.stderr


def test_a_disk_that_is_full_is_exit_8_and_leaves_nothing_half_written(hardened: Hardened) -> None:
    small = ("--tmpfs", "/small:size=16k,mode=1777")
    words = "voxmatrix speak --text 'Hello there, whoever you are.' --out /small/hello.wav; echo code $?; ls -A /small"
    done = hardened.run("bash", "-c", words, also=small)
    assert done.stdout.splitlines() == [f"code {CANNOT_WRITE}"]
    assert "No space left on device" in done.stderr
