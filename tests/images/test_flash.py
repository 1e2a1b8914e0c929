"""The image that flash-attn was compiled into: what it has, and that the app does the same without it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.images.containers import Hardened, docker, is_built, owner
from tools import matrix
from tools.images import building

pytestmark = [pytest.mark.docker, pytest.mark.slow]

WORDS = {
    "train": (
        *("train", "/recordings", "--quality", "tiny", "--language", "en-us", "--batch-size", "4"),
        *("--accumulation", "1", "--validate-every", "1000", "--seed", "1", "--max-steps", "2"),
        *("--device", "cpu"),
    ),
    "speak": ("speak", "--text", "Both say the same.", "--seed", "7"),
}


@pytest.fixture(scope="module")
def flash_image(row: matrix.Row) -> str:
    if not row.flash_attn:
        pytest.skip(f"the row {row.name} names no flash-attn")
    image = building.image(row, building.Build(version="", flash=building.Flash(archs="")))
    if not is_built(image):  # never promised: it takes hours
        pytest.skip(f"{image} is not built: ./run flash-{row.name}")
    return image


@pytest.fixture(scope="module")
def version(flash_image: str) -> str:
    """Of the flash-attn in the image, with what it was compiled for: 2.8.3+cu132.torch2.15.0.sm100.sm120."""
    return _python(flash_image, "import importlib.metadata as m; print(m.version('flash-attn'))").strip()


def _python(image: str, code: str) -> str:
    return docker("run", "--rm", "--network", "none", image, "python3", "-c", code).stdout


def test_it_has_machine_code_for_what_its_version_says_and_for_nothing_else(flash_image: str, version: str) -> None:
    measured: dict[str, Any] = json.loads(
        docker("run", "--rm", flash_image, "bash", "-c", "cat /opt/voxmatrix/image.json").stdout
    )
    (found,) = (names for library, names in measured["libraries"].items() if library.startswith("flash_attn"))
    assert set(found) == {f"sm_{arch}" for arch in re.findall(r"\bsm(\d+)", version)}


def test_the_version_is_the_rows_for_its_torch(row: matrix.Row, version: str) -> None:
    assert version.startswith(f"{row.flash_attn}+{row.torch_local}.torch{row.torch}")


def test_it_loads_with_every_symbol_that_it_needs(flash_image: str) -> None:
    code = (
        "import os, sys; sys.setdlopenflags(os.RTLD_NOW); import torch, flash_attn; print(flash_attn.flash_attn_func)"
    )
    assert "function" in _python(flash_image, code)


def test_doctor_says_that_it_is_there_and_why_it_is_not_used(flash_image: str, version: str) -> None:
    said = docker("run", "--rm", "--network", "none", flash_image, "doctor", "--device", "cpu", "--json").stdout
    assert json.loads(said)["flash_attention"] == {
        "installed": True, "version": version, "usable": False, "reason": "it is for NVIDIA GPUs",
    }  # fmt: skip


def test_the_app_speaks_and_trains_the_same_without_it(
    row: matrix.Row, flash_image: str, recordings: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if not is_built(row.image):
        pytest.skip(f"{row.image} is not built: ./run build-{row.name}")
    made = []
    for image in (row.image, flash_image):
        data = tmp_path_factory.mktemp("flash")
        container = Hardened(image=image, data=data, recordings=recordings, user=owner(data))
        container.run(*WORDS["train"], "--out", "/data/run")
        container.run(*WORDS["speak"], "--voice", "/data/run", "--out", "/data/said.wav")
        made.append((data / "said.wav").read_bytes())
    assert made[0] == made[1]
