"""Every state of a driver, with stub libraries: an image for GPUs computes nothing on the CPU unasked."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.broken_driver.gpus import GPUS, GpuState
from tests.broken_driver.states import STATES, DriverState, compile_stubs
from tests.images.containers import Hardened
from tools import matrix

pytestmark = [pytest.mark.docker, pytest.mark.compiler]

TRAIN = ("train", "/nowhere", "--out", "/data/refused")
BAD_INPUT = 3
#: Of the states in which only CUDA fails: smoke tests take seconds, and entrypoint/test_broken_driver.py has them all.
EXAMINED = ("cuda 802", "no libcuda")
CHOICES = ({"USE_GPU": "no"}, {"USE_GPU": "auto"}, {"VOXMATRIX_DEVICE": "cpu"})
#: One container for all of them: each would take longer to start than to answer.
RUN = """
import json, os, subprocess, sys
ended = []
for environment, words in json.loads(sys.argv[1]):
    done = subprocess.run(["voxmatrix", *words], env=os.environ | environment, capture_output=True, text=True)
    ended.append([done.returncode, done.stdout + done.stderr])
print(json.dumps(ended))
"""

Run = tuple[dict[str, str], tuple[str, ...]]


def in_state(state: DriverState | GpuState) -> dict[str, str]:
    path = ":".join(f"/stubs/{library.partition('.')[0]}" for library in state.libraries)
    return {"LD_LIBRARY_PATH": path, **state.environment}


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stubs")
    compile_stubs(folder)
    return folder


def run_all(hardened: Hardened, stubs: Path, runs: Iterable[Run]) -> list[tuple[int, str]]:
    """Exit code and words of every command, each in its environment."""
    mounted = ("--volume", f"{stubs}:/stubs:ro")
    done = hardened.run("python3", "-c", RUN, json.dumps(list(runs)), also=mounted)
    return [(code, said) for code, said in json.loads(done.stdout)]


def test_training_ends_with_the_state_and_what_to_do(hardened: Hardened, row: matrix.Row, stubs: Path) -> None:
    """The image for the CPU has no use for a GPU: it goes on, to recordings that are not there."""
    ended = run_all(hardened, stubs, [(in_state(state), TRAIN) for state in STATES])
    for state, (code, said) in zip(STATES, ended, strict=True):
        assert code == (state.code if row.cuda else BAD_INPUT), f"{state.name}: {said}"
        if row.cuda:
            assert state.problem in said
            assert state.remedy in said
    assert not row.cuda or not (hardened.data / "refused").exists()


def test_doctor_says_the_same(hardened: Hardened, row: matrix.Row, stubs: Path) -> None:
    states = [state for state in STATES if not (state.is_listed and row.cuda) or state.name in EXAMINED]
    words = [("doctor", *([] if state.is_listed and row.cuda else ["--no-smoke"])) for state in states]
    ended = run_all(hardened, stubs, zip(map(in_state, states), words, strict=True))
    for state, (code, said) in zip(states, ended, strict=True):
        assert code == (state.code if row.cuda else 0), f"{state.name}: {said}"
        if row.cuda or not state.is_listed:
            assert state.problem in said
            assert state.remedy in said


def test_who_chose_the_cpu_gets_it(hardened: Hardened, stubs: Path) -> None:
    chosen = [in_state(state) | choice for choice in CHOICES for state in (STATES[0], STATES[-1])]
    ended = run_all(hardened, stubs, [(each, words) for each in chosen for words in (TRAIN, ("doctor", "--no-smoke"))])
    assert [code for code, _ in ended] == [BAD_INPUT, 0] * len(chosen), ended


def test_doctor_judges_every_gpu_that_the_driver_describes(hardened: Hardened, row: matrix.Row, stubs: Path) -> None:
    words = ("doctor", "--no-smoke", "--json")
    ended = run_all(hardened, stubs, [(in_state(gpu), words) for gpu in GPUS])
    for gpu, (code, said) in zip(GPUS, ended, strict=True):
        assert code == (gpu.code_in(row.name) if row.cuda else 0), f"{gpu.name}: {said}"
        assert len(json.loads(said[said.index("{") :])["gpus"]) == gpu.listed, gpu.name
        assert not row.cuda or gpu.said in said, gpu.name
