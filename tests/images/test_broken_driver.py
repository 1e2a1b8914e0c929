"""Every state of a broken driver, with stub libraries: an image for GPUs computes nothing on the CPU unasked."""

from pathlib import Path

import pytest

from tests.broken_driver.states import STATES, DriverState, compile_stubs
from tests.images.containers import Hardened
from tools import matrix

pytestmark = [pytest.mark.docker, pytest.mark.compiler]

TRAIN = ("train", "/nowhere", "--out", "/data/refused")
BAD_INPUT, NO_DEVICE = 3, 4
#: Of the states in which only CUDA fails: smoke tests take seconds, and entrypoint/test_broken_driver.py has them all.
EXAMINED = ("cuda 802", "no libcuda")


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stubs")
    compile_stubs(folder)
    return folder


def flags(stubs: Path, state: DriverState, *more: str) -> tuple[str, ...]:
    path = ":".join(f"/stubs/{library.partition('.')[0]}" for library in state.libraries)
    values = [f"{name}={value}" for name, value in state.environment.items()]
    variables = [word for value in (f"LD_LIBRARY_PATH={path}", *values, *more) for word in ("--env", value)]
    return ("--volume", f"{stubs}:/stubs:ro", *variables)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_training_ends_with_the_state_and_what_to_do(
    hardened: Hardened, row: matrix.Row, stubs: Path, state: DriverState
) -> None:
    """The image for the CPU has no use for a GPU: it goes on, to recordings that are not there."""
    done = hardened.run(*TRAIN, expect=NO_DEVICE if row.cuda else BAD_INPUT, also=flags(stubs, state))
    if row.cuda:
        assert state.problem in done.stderr
        assert state.remedy in done.stderr
        assert not (hardened.data / "refused").exists()


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_doctor_says_the_same(hardened: Hardened, row: matrix.Row, stubs: Path, state: DriverState) -> None:
    if state.is_listed and row.cuda and state.name not in EXAMINED:
        pytest.skip("the smoke test takes seconds")
    words = ("doctor", *([] if state.is_listed and row.cuda else ["--no-smoke"]))
    done = hardened.run(*words, expect=NO_DEVICE if row.cuda else 0, also=flags(stubs, state))
    if row.cuda or not state.is_listed:
        assert state.problem in done.stdout
        assert state.remedy in done.stdout


@pytest.mark.parametrize("choice", ["USE_GPU=no", "USE_GPU=auto", "VOXMATRIX_DEVICE=cpu"])
def test_who_chose_the_cpu_gets_it(hardened: Hardened, stubs: Path, choice: str) -> None:
    for state in (STATES[0], STATES[-1]):
        hardened.run(*TRAIN, expect=BAD_INPUT, also=flags(stubs, state, choice))
        hardened.run("doctor", "--no-smoke", also=flags(stubs, state, choice))
