"""The check stands before what computes, and before nothing else; what it refuses ends before torch is imported."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from voxmatrix.lock import locked

ROOT = Path(__file__).parents[2]
MACHINES = ROOT / "tests" / "machines"


@pytest.fixture
def wrong_image(tmp_path: Path) -> str:
    """An RTX 5090 in the image `cuda`, whose torch has no kernels for it."""
    described = json.loads((MACHINES / "rtx-5090-cu124.json").read_text(encoding="utf-8"))
    path = tmp_path / "wrong image.json"
    path.write_text(json.dumps({**described, "image": "cuda", "container": True}), encoding="utf-8")
    return str(path)


def voxmatrix(tmp_path: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The program; whether it imported torch is the last line of standard error."""
    code = (
        "import sys; from voxmatrix_entrypoint import launch; code = launch.launch(sys.argv[1:]); "
        "sys.stderr.write('\\n' + str('torch' in sys.modules)); sys.exit(code)"
    )
    saved = {name: value for name, value in os.environ.items() if not name.startswith("VOXMATRIX_")}
    environment = {**saved, "VOXMATRIX_HOME": str(tmp_path / "home"), **more}
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True, encoding="utf-8", check=False, timeout=300, env=environment, cwd=tmp_path,
    )  # fmt: skip


def test_training_on_a_gpu_without_kernels_ends_before_recordings_are_read(tmp_path: Path, wrong_image: str) -> None:
    done = voxmatrix(tmp_path, "train", "no-recordings", "--out", "run", VOXMATRIX_MACHINE=wrong_image)
    assert done.returncode == 5
    assert "use the image blackwell" in done.stderr
    assert done.stderr.endswith("False"), "torch was imported"
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no lock that a crash releases")
def test_a_training_that_runs_in_the_folder_is_reported_before_recordings_are_read(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with locked(out, "training", "stop it"):
        done = voxmatrix(tmp_path, "train", "no-recordings", "--device", "cpu", "--out", str(out))
    assert done.returncode == 2
    assert f"another training is running in {out}" in done.stderr
    assert voxmatrix(tmp_path, "train", "no-recordings", "--device", "cpu", "--out", str(out)).returncode == 3


def test_a_described_computer_keeps_the_torch_of_the_image(tmp_path: Path) -> None:
    import torch

    if torch.version.cuda:
        pytest.skip("this torch has kernels, as that of the recorded computer")
    described = json.loads((MACHINES / "rtx-5090.json").read_text(encoding="utf-8"))
    kernels = {"version": "2.15.0+cu132", "cuda": "13.2", "kernels": ["sm_120"]}  # of the recorded computer
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({**described, "torch": kernels}), encoding="utf-8")
    words = ("train", "no-recordings", "--out", "run", "--device", "cuda:0")
    done = voxmatrix(tmp_path, *words, VOXMATRIX_MACHINE=str(path), VOXMATRIX_IMAGE="cuda")
    assert done.returncode == 5, done.stderr  # the torch of this process has no kernels for it
    assert "use the image blackwell" in done.stderr


@pytest.mark.skipif(not Path("/dev/shm").is_mount(), reason="/dev/shm is not a mount here")
def test_in_an_image_an_out_that_is_not_mounted_is_warned_about_and_so_is_puid(tmp_path: Path) -> None:
    words = ("train", "no-recordings", "--device", "cpu", "--out")
    in_memory = "/dev/shm/voxmatrix-test"  # a mount, but one that is deleted with the container
    done = voxmatrix(tmp_path, *words, in_memory, VOXMATRIX_IMAGE="cpu", PUID="98765")
    assert done.returncode == 3
    assert f"{in_memory} is inside the container" in done.stderr
    assert "do not use PUID=98765" in done.stderr
    outside = voxmatrix(tmp_path, *words, in_memory, PUID="98765").stderr
    assert "inside the container" not in outside and "PUID" not in outside


def test_speaking_from_a_checkpoint_ends_before_it_is_read(tmp_path: Path, wrong_image: str) -> None:
    (tmp_path / "voice.ckpt").write_bytes(b"never read")
    words = ("speak", "--voice", "voice.ckpt", "--text", "Hi", "--out", "a.wav")
    done = voxmatrix(tmp_path, *words, VOXMATRIX_MACHINE=wrong_image)
    assert done.returncode == 5
    assert done.stderr.endswith("False"), "torch was imported"


def test_an_onnx_voice_needs_no_kernels_of_torch(tmp_path: Path, wrong_image: str) -> None:
    done = voxmatrix(tmp_path, "speak", "--text", "Hi", "--out", "a.wav", VOXMATRIX_MACHINE=wrong_image)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.wav").is_file()


def test_the_cpu_is_taken_where_it_is_asked_for(tmp_path: Path, wrong_image: str) -> None:
    words = ("train", "no-recordings", "--out", "run", "--device", "cpu")
    done = voxmatrix(tmp_path, *words, VOXMATRIX_MACHINE=wrong_image)
    assert done.returncode == 3  # there are no recordings: the check let it begin


def test_as_json_the_refusal_is_an_object(tmp_path: Path, wrong_image: str) -> None:
    done = voxmatrix(tmp_path, "train", "none", "--out", "run", "--json", VOXMATRIX_MACHINE=wrong_image)
    assert json.loads(done.stdout)["exit_code"] == 5


@pytest.mark.parametrize("words", [("plan",), ("devices",), ("patches",), ("train", "--help"), ("--version",)])
def test_what_does_not_compute_is_not_checked(tmp_path: Path, wrong_image: str, words: tuple[str, ...]) -> None:
    assert voxmatrix(tmp_path, *words, VOXMATRIX_MACHINE=wrong_image).returncode == 0


def test_it_can_be_switched_off_which_is_said(tmp_path: Path, wrong_image: str) -> None:
    words = ("train", "no-recordings", "--out", "run")
    done = voxmatrix(tmp_path, *words, VOXMATRIX_MACHINE=wrong_image, VOXMATRIX_CHECK="off")
    assert done.returncode == 3
    assert "VOXMATRIX_CHECK is off" in done.stderr


def test_a_described_computer_that_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    done = voxmatrix(tmp_path, "train", "none", "--out", "run", VOXMATRIX_MACHINE="nowhere.json")
    assert done.returncode == 3
    assert "nowhere.json" in done.stderr


def test_speaking_on_this_computer_with_the_voice_that_comes_along_imports_no_torch(tmp_path: Path) -> None:
    done = voxmatrix(tmp_path, "speak", "--text", "Hi", "--out", "a.wav", VOXMATRIX_IMAGE="cpu")
    assert done.stderr.endswith("False"), done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize(
    "words", [("train", "none", "--out", "theirs/run"), ("speak", "--text", "Hi", "--out", "theirs/a.wav")]
)
def test_a_folder_of_somebody_else_ends_it_with_the_line_that_mends_it(words: tuple[str, ...]) -> None:
    """As a user without an entry in /etc/passwd and with a folder mounted that is not his, in a container."""
    code = (
        "import getpass, os, sys; from voxmatrix_entrypoint import launch\n"
        "launch.launch(['--help']); launch.launch(['train', 'none', '--out', 'x'])\n"  # imports all: it may be root's
        "os.chdir(sys.argv[1]); os.setuid(12345); assert getpass.getuser() == 'voxmatrix'\n"
        "sys.exit(launch.launch(sys.argv[2:]))"
    )
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        (Path(place) / "theirs").mkdir(mode=0o755)
        user = {"USER": "voxmatrix", "LOGNAME": "voxmatrix", "HOME": place}  # as the images set them
        done = subprocess.run(
            [sys.executable, "-c", code, place, *words],
            capture_output=True, encoding="utf-8", check=False, timeout=300,
            env={**os.environ, "VOXMATRIX_HOME": place, **user},
        )  # fmt: skip
    assert done.returncode == 8, done.stderr
    assert '--user "$(id -u):0"' in done.stderr
