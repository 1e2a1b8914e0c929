"""What is built and tested again, because it is made of something else."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.images import stamp
from tools.images.rows import ROOT, rows

ROW = rows()["blackwell"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What images are made of, copied."""
    for name in (*stamp.PARTS, "pyproject.toml", ROW.dockerfile):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, tmp_path / name)
    (tmp_path / stamp.STAMPS).parent.mkdir()
    return tmp_path


def test_a_stamp_lasts_until_something_changes_that_the_image_is_made_of(checkout: Path) -> None:
    assert stamp.known(checkout) == {}
    stamp.renew(ROW, checkout)
    assert stamp.known(checkout)[ROW.name] == stamp.stamp(ROW, checkout)
    for name in ("docker/slim.sh", ROW.pins, ROW.dockerfile, "entrypoint/voxmatrix_entrypoint/launch.py"):
        before = stamp.stamp(ROW, checkout)
        with (checkout / name).open("a", encoding="utf-8") as file:
            file.write("# more\n")
        assert stamp.stamp(ROW, checkout) != before, name
    assert stamp.known(checkout)[ROW.name] != stamp.stamp(ROW, checkout)


def _compiled(checkout: Path) -> None:
    (checkout / "entrypoint" / "__pycache__").mkdir(exist_ok=True)
    (checkout / "entrypoint" / "__pycache__" / "a.pyc").write_bytes(b"new")


def _other_pins(checkout: Path) -> None:
    (checkout / rows()["cuda13"].pins).write_text("torch==0\n", encoding="utf-8")


def _markers(checkout: Path) -> None:
    path = checkout / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("markers = [", 'markers = ["new: a marker",'))


def _touched(checkout: Path) -> None:
    (checkout / ROW.dockerfile).touch()


def _cluster(checkout: Path) -> None:
    (checkout / "docker" / "cluster.yaml").write_text("services: {}\n", encoding="utf-8")


@pytest.mark.parametrize("change", [_compiled, _other_pins, _markers, _touched, _cluster])
def test_what_the_image_is_not_made_of_changes_nothing(checkout: Path, change: Callable[[Path], None]) -> None:
    before = stamp.stamp(ROW, checkout)
    change(checkout)
    assert stamp.stamp(ROW, checkout) == before


def test_a_dependency_changes_it(checkout: Path) -> None:
    before = stamp.stamp(ROW, checkout)
    path = checkout / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"numpy>=1.26"', '"numpy>=1.27"'), encoding="utf-8")
    assert stamp.stamp(ROW, checkout) != before
