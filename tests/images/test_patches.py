"""`voxmatrix patches` in every image: what docs/inside/patches.md says became of each patch with the image's torch."""

import json

import pytest

from tests.images.containers import Hardened
from tools import matrix

pytestmark = pytest.mark.docker

#: torchaudio-cpu, torchaudio-cuda-minor, torchaudio-load; without a GPU. A row without an entry may have any of them.
STATES = {
    "cpu": ("applied", "retired", "applied"),
    "cuda": ("not for this version", "not for this version", "not for this version"),
    "blackwell": ("not for this version", "not for this version", "applied"),
    "cuda13": ("retired", "retired", "applied"),
}
FINAL = {"applied", "retired", "not for this version"}
IDS = ("torchaudio-cpu", "torchaudio-cuda-minor", "torchaudio-load")


def states(hardened: Hardened, *words: str, also: tuple[str, ...] = ()) -> dict[str, str]:
    listed = json.loads(hardened.run("patches", "--json", *words, also=also).stdout)["patches"]
    return {patch["id"]: patch["state"] for patch in listed}


@pytest.fixture(scope="module")
def tried(hardened: Hardened) -> dict[str, str]:
    return states(hardened, "--try")


def test_each_became_what_the_documentation_says(tried: dict[str, str], row: matrix.Row) -> None:
    assert set(tried.values()) <= FINAL
    assert tried == dict(zip(IDS, STATES.get(row.name, tried.values()), strict=True))


def test_nothing_is_imported_unless_it_is_tried(hardened: Hardened, tried: dict[str, str]) -> None:
    elsewhere = "not for this version"
    waiting = {id: state if state == elsewhere else "waiting" for id, state in tried.items()}
    assert states(hardened) == waiting


def test_they_can_be_switched_off(hardened: Hardened) -> None:
    assert set(states(hardened, also=("--env", "VOXMATRIX_PATCHES=off")).values()) == {"off"}


def test_docker_exec_is_patched_as_well(hardened: Hardened, tried: dict[str, str]) -> None:
    code = "from voxmatrix_entrypoint import patches; patches.install(); import torchaudio; print('imported')"
    with hardened.started("sleep", "600") as container:
        assert container.exec("python3", "-c", code).stdout == "imported\n"
        listed = json.loads(container.exec("voxmatrix", "patches", "--json", "--try").stdout)["patches"]
    assert {patch["id"]: patch["state"] for patch in listed} == tried
