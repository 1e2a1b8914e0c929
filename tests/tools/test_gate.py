"""docker/gate.py, the last word of a build."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tools import matrix

PACKAGING = Path(str(distribution("packaging").locate_file("packaging")))


def _gate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(matrix.ROOT / "docker" / "gate.py"), *words],
        capture_output=True, text=True, check=False, env={"PYTHONPATH": f"{folder}:{PACKAGING.parent}"},
    )  # fmt: skip


def _installed(folder: Path, name: str, version: str, *requirements: str) -> None:
    described = folder / f"{name}-{version}.dist-info"
    described.mkdir(parents=True)
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {text}" for text in requirements)]
    (described / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines, ""]), encoding="utf-8")


def _torch(folder: Path, version: str, cuda: str | None) -> None:
    (folder / "torch").mkdir()
    (folder / "torch" / "__init__.py").write_text("raise SystemExit('the gate must not import torch')")
    (folder / "torch" / "version.py").write_text(f"__version__ = {version!r}\ncuda = {cuda!r}\n")


@pytest.mark.parametrize(
    ("version", "cuda", "promised", "passes"),
    [
        ("2.13.0+cpu", None, ("2.13.0",), True),
        ("2.13.0", None, ("2.13.0",), True),
        ("2.13.0+cu128", "12.8", ("2.13.0",), False),
        ("2.12.0+cpu", None, ("2.13.0",), False),
        ("2.6.0+cu124", "12.4", ("2.6.0", "12.4"), True),
        ("2.6.0+cpu", None, ("2.6.0", "12.4"), False),
    ],
)
def test_only_the_promised_torch_passes(
    tmp_path: Path, version: str, cuda: str | None, promised: tuple[str, ...], passes: bool
) -> None:
    _torch(tmp_path, version, cuda)
    _installed(tmp_path, "voxmatrix", "1")
    done = _gate(tmp_path, *promised)
    assert (done.returncode == 0) is passes, done.stderr
    if not passes:
        assert version.partition("+")[0] in done.stderr


def test_what_the_app_needs_must_be_locked(tmp_path: Path) -> None:
    _torch(tmp_path, "2.13.0", None)
    _installed(tmp_path, "vox_first", "1.5")
    wanted = ("vox-first>=2", "vox-second", 'vox-third; python_version < "3"', 'vox-fourth; extra == "more"')
    _installed(tmp_path, "voxmatrix", "1", *wanted)
    done = _gate(tmp_path, "2.13.0")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "gate: voxmatrix needs vox-first>=2, and 1.5 is locked: ./run lock",
        "gate: voxmatrix needs vox-second, and vox-second is not installed: ./run lock",
    ]
