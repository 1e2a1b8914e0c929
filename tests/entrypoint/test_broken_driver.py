"""Every state of a driver in an image for GPUs, with stub libraries: nothing computes on the CPU unasked.

The image's torch is a stand-in for a build with CUDA; tests/images/test_broken_driver.py repeats this in the images.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.broken_driver.gpus import GPUS, GpuState
from tests.broken_driver.states import STATES, DriverState, compile_stubs, search_path

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(sys.platform != "linux", reason="the libraries are those of Linux"),
]

_TORCH = {
    "version.py": "__version__ = '2.10.0+cu128'\ncuda = '12.8'\nhip = None\n",
    "_C.py": "def _cuda_getArchFlags(): return 'sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120'\n",
    "__init__.py": "from types import SimpleNamespace\nfrom torch import _C, version\n"
    "def device(name): return SimpleNamespace(type=name.partition(':')[0], index=int(name.partition(':')[2] or 0))\n",
}
TRAIN = ("train", "no-recordings", "--out", "run")
BAD_INPUT, NO_DEVICE = 3, 4


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return compile_stubs(tmp_path_factory.mktemp("stubs"))


@pytest.fixture
def in_image(tmp_path: Path, stubs: dict[str, Path]):  # type: ignore[no-untyped-def]
    """Run the program as in the image `blackwell` with a driver in this state."""
    (tmp_path / "site" / "torch").mkdir(parents=True)
    for name, text in _TORCH.items():
        (tmp_path / "site" / "torch" / name).write_text(text, encoding="utf-8")

    def run(state: DriverState | GpuState | None, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_")}
        environment |= {
            "VOXMATRIX_HOME": str(tmp_path / "home"),
            "VOXMATRIX_IMAGE": "blackwell",
            "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *sys.path[1:]]),
            **({} if state is None else state.environment),
            **({} if state is None else {"LD_LIBRARY_PATH": search_path(stubs, state.libraries)}),
            **more,
        }
        command = [sys.executable, "-m", "voxmatrix_entrypoint", *words]
        return subprocess.run(
            command, capture_output=True, encoding="utf-8", env=environment, cwd=tmp_path, check=False, timeout=300
        )

    return run


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_train_and_doctor_end_with_its_code_and_say_what_to_do(in_image, state: DriverState) -> None:  # type: ignore[no-untyped-def]
    # The smoke test would compute on the CPU, which the stand-in cannot.
    for words in (TRAIN, ("doctor", *([] if state.is_listed else ["--no-smoke"]))):
        done = in_image(state, *words)
        said = done.stdout + done.stderr
        assert done.returncode == state.code, said
        assert state.problem in said
        assert state.remedy in said
        assert "there is no GPU" not in said


def test_without_any_driver_both_end_with_4(in_image) -> None:  # type: ignore[no-untyped-def]
    for words in (TRAIN, ("doctor", "--no-smoke")):
        done = in_image(None, *words)
        assert done.returncode == NO_DEVICE, done.stdout + done.stderr
        assert "is built for CUDA, but there is no GPU" in done.stdout + done.stderr


@pytest.mark.parametrize("state", [None, STATES[0], STATES[-1]], ids=["absent", "nvml 4", "hidden"])
@pytest.mark.parametrize("chosen", [{"USE_GPU": "no"}, {"USE_GPU": "auto"}, {"VOXMATRIX_DEVICE": "cpu"}])
def test_who_chose_the_cpu_trains_on_it(in_image, state: DriverState | None, chosen: dict[str, str]) -> None:  # type: ignore[no-untyped-def]
    assert in_image(state, *TRAIN, **chosen).returncode == BAD_INPUT  # it went on to the recordings
    assert in_image(state, "doctor", "--no-smoke", **chosen).returncode == 0


@pytest.mark.parametrize("wanted", [{"USE_GPU": "yes"}, {"GPU_ID": "1"}, {"VIBEVOICE_DEVICE": "cuda"}])
def test_who_asked_for_a_gpu_as_older_programs_do_does_not_train_without(in_image, wanted: dict[str, str]) -> None:  # type: ignore[no-untyped-def]
    done = in_image(STATES[-1], *TRAIN, **wanted)
    assert done.returncode == NO_DEVICE, done.stderr
    assert STATES[-1].problem in done.stderr


def test_devices_and_plan_say_why_no_gpu_is_listed(in_image) -> None:  # type: ignore[no-untyped-def]
    for state in (one for one in STATES if one.name in ("nvml 15", "hidden")):
        for words in (("devices",), ("plan",)):
            done = in_image(state, *words)
            assert done.returncode == 0
            assert state.problem in done.stdout + done.stderr


@pytest.mark.parametrize("gpu", GPUS, ids=lambda gpu: gpu.name)
def test_a_gpu_that_the_driver_describes_is_used_or_refused_with_the_reason(in_image, gpu: GpuState) -> None:  # type: ignore[no-untyped-def]
    done = in_image(gpu, "doctor", "--no-smoke", "--json")
    assert done.returncode == gpu.code_in("blackwell"), done.stdout + done.stderr
    assert len(json.loads(done.stdout)["gpus"]) == gpu.listed
    assert gpu.said in done.stdout
    trained = in_image(gpu, *TRAIN)
    assert trained.returncode == (gpu.code_in("blackwell") or NO_DEVICE)
    assert gpu.code_in("blackwell") or "CUDA finds none" in trained.stderr  # as the stub of libcuda does: it was tried
