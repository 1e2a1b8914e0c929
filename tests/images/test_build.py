"""Builds that must fail, and what they say: of made-up rows, on the steps of the real Dockerfiles."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.images.containers import is_built
from tools.images import building, rows

pytestmark = [pytest.mark.docker, pytest.mark.slow]

BLACKWELL = rows.rows()["blackwell"]


def _words(row: rows.Row, build: building.Build) -> list[str]:
    words = building.command(row, build)
    words[words.index("--tag") + 1] = f"voxmatrix-made-up:{row.name}"
    return words


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """What a build may read, to be changed."""
    for name in ("docker", "app", "entrypoint"):
        shutil.copytree(rows.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(rows.ROOT / "samples" / "voices", tmp_path / "samples" / "voices")
    for name in ("pyproject.toml", "README.md", "LICENSE", BLACKWELL.dockerfile):
        shutil.copy(rows.ROOT / name, tmp_path / name)
    return tmp_path


def _fails(words: list[str], context: Path) -> str:
    done = subprocess.run(words, cwd=context, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return done.stdout + done.stderr


def test_a_nightly_that_is_gone_ends_the_build_with_the_stable_row(context: Path) -> None:
    row = rows.rows()["blackwell-nightly"]
    house = context / "wheelhouse" / row.name
    house.mkdir(parents=True)
    (house / "other-1-py3-none-any.whl").write_bytes(b"")  # an index without that torch, and no network
    hashed = f"torch=={row.torch} \\\n    --hash=sha256:{'0' * 64}\n"
    (context / row.pins).write_text(hashed, encoding="utf-8")
    said = _fails(_words(row, replace(building.this_build(row), wheelhouse=True)), context)
    sentence = f"torch=={row.torch} is gone from the index: nightlies vanish after some weeks."
    assert f"{sentence} Use the stable row blackwell: ./run build-blackwell" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ('capabilities = ["10.0", "12.0"]', 'capabilities = ["10.0", "13.0"]'),
            "gate: the row promises capability 13.0, but torch 2.10.0 for CUDA 12.8 only has kernels for sm_70 ",
        ),
        (
            ('cuda = "12.8"', 'cuda = "12.9"'),
            "gate: torch is 2.10.0 for CUDA 12.8, but the row promises 2.10.0 for CUDA 12.9",
        ),
    ],
    ids=["of what its torch has not", "of another CUDA"],
)
def test_a_row_with_a_promise_that_is_not_kept_is_not_built(context: Path, change: tuple[str, str], said: str) -> None:
    if not is_built(BLACKWELL.image):
        pytest.skip(f"{BLACKWELL.image} is not built, and a build would fetch gigabytes: ./run build-blackwell")
    text = (context / "docker" / "images.toml").read_text(encoding="utf-8")
    assert change[0] in text
    promised = rows.read(text.replace(*change))["blackwell"]
    assert said in _fails(_words(promised, building.this_build(BLACKWELL)), context)


def test_a_row_with_cuda_that_got_a_torch_without_it_is_not_built(context: Path) -> None:
    """The pins and wheels of `cpu`, on its base, by the steps of `blackwell`: what a careless pip step does."""
    cpu = rows.rows()["cpu"]
    house = rows.ROOT / cpu.wheelhouse
    if not any(house.glob("*.whl")):
        pytest.skip(f"{cpu.wheelhouse} is empty, and a build would ask an index: ./run wheelhouse-cpu")
    (context / cpu.wheelhouse).parent.mkdir()
    (context / cpu.wheelhouse).symlink_to(house)
    swapped = replace(BLACKWELL, name=cpu.name, torch=cpu.torch, base=cpu.base, python=cpu.python)
    said = _fails(_words(swapped, replace(building.this_build(BLACKWELL), wheelhouse=True)), context)
    assert f"gate: torch is {cpu.torch} for CUDA None, but the row promises {cpu.torch} for CUDA 12.8" in said
