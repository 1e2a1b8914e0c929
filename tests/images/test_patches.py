"""`voxmatrix patches` in every image: what docs/patches.md says became of each patch beside the image's torch."""

import json

import pytest

from tests.images.containers import Hardened
from tools import matrix

pytestmark = pytest.mark.docker

#: torchaudio-cpu, torchaudio-cuda-minor, torchaudio-load; without a GPU.
STATES = {
    "cpu": ("applied", "retired", "applied"),
    "cuda": ("not for this version", "not for this version", "not for this version"),
    "blackwell": ("not for this version", "not for this version", "applied"),
    "cuda13": ("retired", "applied", "applied"),
}
IDS = ("torchaudio-cpu", "torchaudio-cuda-minor", "torchaudio-load")


def states(hardened: Hardened, *words: str, also: tuple[str, ...] = ()) -> dict[str, str]:
    listed = json.loads(hardened.run("patches", "--json", *words, also=also).stdout)["patches"]
    return {patch["id"]: patch["state"] for patch in listed}


def test_each_became_what_the_documentation_says(hardened: Hardened, row: matrix.Row) -> None:
    assert states(hardened, "--try") == dict(zip(IDS, STATES[row.name], strict=True))


def test_nothing_is_imported_unless_it_is_tried(hardened: Hardened, row: matrix.Row) -> None:
    elsewhere = {"not for this version"}
    waiting = {state if state in elsewhere else "waiting" for state in STATES[row.name]}
    assert set(states(hardened).values()) == waiting


def test_they_can_be_switched_off(hardened: Hardened) -> None:
    assert set(states(hardened, also=("--env", "VOXMATRIX_PATCHES=off")).values()) == {"off"}


def test_docker_exec_is_patched_as_well(hardened: Hardened, row: matrix.Row) -> None:
    code = "from voxmatrix_entrypoint import patches; patches.install(); import torchaudio; print('imported')"
    with hardened.started("sleep", "600") as container:
        assert container.exec("python3", "-c", code).stdout == "imported\n"
        listed = json.loads(container.exec("voxmatrix", "patches", "--json", "--try").stdout)["patches"]
    assert tuple(patch["state"] for patch in listed) == STATES[row.name]
