"""The check of the device before a command, in the image: on a computer that a file describes, and on this one.

The described computer is this one with the image's own torch, as `doctor --record` writes it down, and another GPU.
"""

import json
from typing import Any

import pytest

from tests.images import voices
from tests.images.containers import Hardened
from tests.images.witnessed import Process, witnessed
from tools import matrix
from tools.images.example_gpus import DRIVER, unusable, with_gpu

pytestmark = pytest.mark.docker

IN_MACHINE = ("--env", "VOXMATRIX_MACHINE=/data/other.json")
NO_KERNELS, NO_DEVICE, BAD_INPUT = 5, 4, 3
TRAIN = ("train", "/recordings", "--out", "/data/refused")
SPEAK = ("speak", "--voice", "/data/voice.ckpt", "--text", "Hello", "--out", "/data/refused.wav")


def describe(hardened: Hardened, gpu: str, driver: str = DRIVER, **more: Any) -> None:
    """other.json in /data: this image on a computer with that GPU."""
    hardened.run("doctor", "--no-smoke", "--device", "cpu", "--record", "/data/this.json")
    recorded = json.loads((hardened.data / "this.json").read_text(encoding="utf-8"))
    hardened.give("other.json", json.dumps({**with_gpu(recorded, gpu, driver), **more}))
    hardened.give("voice.ckpt", "no checkpoint: who reads it ends with 9")


def assert_nothing_was_read(hardened: Hardened, processes: list[Process]) -> None:
    (process,) = processes
    assert process.imports == ()
    assert set(process.opened) <= {"/data/other.json", "/data/settings.toml"}
    assert not (hardened.data / "refused").exists()
    assert not (hardened.data / "refused.wav").exists()


@pytest.mark.parametrize("device", ["auto", "cuda:0"])
@pytest.mark.parametrize("words", [TRAIN, SPEAK], ids=["train", "speak"])
def test_a_gpu_without_kernels_is_exit_5_with_the_image_to_use_before_anything_is_read(
    hardened: Hardened, row: matrix.Row, words: tuple[str, ...], device: str
) -> None:
    gpu, instead = unusable(row)
    if device == "auto" and not row.cuda:
        pytest.skip("in the image for the CPU a GPU that nobody asks for is left alone (the next test)")
    describe(hardened, gpu)
    done, processes = witnessed(hardened, *words, "--device", device, expect=NO_KERNELS, also=IN_MACHINE)
    assert f"use the image {instead} " in done.stderr
    assert ("--device cpu" in done.stderr) is (device == "auto")
    assert_nothing_was_read(hardened, processes)


def test_doctor_judges_such_a_gpu_in_the_same_way(hardened: Hardened, row: matrix.Row) -> None:
    gpu, instead = unusable(row)
    describe(hardened, gpu)
    code = NO_KERNELS if row.cuda else 0
    said = json.loads(hardened.run("doctor", "--json", "--machine", "/data/other.json", expect=code).stdout)
    assert instead in json.dumps(said)


def test_the_image_for_the_cpu_leaves_a_gpu_alone(hardened: Hardened, row: matrix.Row) -> None:
    if row.cuda:
        pytest.skip("it is one for GPUs")
    describe(hardened, unusable(row)[0])
    hardened.run("train", "/nowhere", "--out", "/data/refused", expect=BAD_INPUT, also=IN_MACHINE)  # it went on


def test_the_check_can_be_switched_off_which_is_said(hardened: Hardened, row: matrix.Row) -> None:
    describe(hardened, unusable(row)[0])
    off = (*IN_MACHINE, "--env", "VOXMATRIX_CHECK=off")
    done = hardened.run("train", "/nowhere", "--out", "/data/refused", expect=BAD_INPUT, also=off)
    assert "VOXMATRIX_CHECK is off" in done.stderr


def test_a_gpu_that_is_demanded_and_absent_is_exit_4_before_anything_is_read(hardened: Hardened) -> None:
    describe(hardened, "rtx-5090")
    for words in (TRAIN, SPEAK):
        done, processes = witnessed(hardened, *words, "--device", "cuda:0", expect=NO_DEVICE)
        assert "--device cuda:0: no such GPU" in done.stderr
        assert "in a container add --gpus all" in done.stderr
        assert_nothing_was_read(hardened, processes)


def test_an_onnx_voice_for_a_gpu_that_is_absent_is_exit_4(hardened: Hardened) -> None:
    hardened.run("speak", "--text", "Hi", "--out", "/data/x.wav", "--device", "cuda:0", expect=NO_DEVICE)
    assert not (hardened.data / "x.wav").exists()


def test_an_image_for_gpus_does_not_train_on_the_cpu_unless_it_was_chosen(hardened: Hardened, row: matrix.Row) -> None:
    for_gpus = bool(row.cuda or row.torch_build)
    words = ("train", "/nowhere", "--out", "/data/refused")
    done = hardened.run(*words, "--device", "auto", expect=NO_DEVICE if for_gpus else BAD_INPUT)
    assert ("but there is no GPU for it" in done.stderr) is for_gpus
    assert ("start the container with --gpus all" in done.stderr) is bool(row.cuda)
    hardened.run(*words, "--device", "cpu", expect=BAD_INPUT)


@pytest.mark.slow
def test_it_trains_on_the_cpu_where_that_is_allowed_and_says_aloud_that_it_is_the_cpu(hardened: Hardened) -> None:
    words = voices.TRAIN[: voices.TRAIN.index("--device")]
    said = hardened.run(*words, "--max-steps", "1", "--json", also=("--env", "USE_GPU=auto"))
    assert json.loads(said.stdout.splitlines()[-1])["steps"] == 1
    assert (hardened.data / "run" / "last.ckpt").is_file()
    assert "warning: no GPU was found; training on the CPU is many times slower" in said.stderr
    assert "in a container add --gpus all" in said.stderr


def test_a_driver_that_is_too_old_is_exit_4(hardened: Hardened, row: matrix.Row) -> None:
    if not row.cuda:
        pytest.skip("torch without CUDA asks for no driver")
    describe(hardened, "rtx-3060", "450.51")
    done, processes = witnessed(hardened, *TRAIN, expect=NO_DEVICE, also=IN_MACHINE)
    assert "450.51" in done.stderr
    assert_nothing_was_read(hardened, processes)
