"""The environments of the tasks, below `.nox`: made when a task first needs one, and again when the pins change."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

from tools.images import building
from tools.images.rows import ROOT, rows
from tools.locks import pins

_HOME_ROW = rows()["cpu"]  # the torch version to use outside of images
_BUILT = ROOT / ".nox"
_PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
# Some tests wait, so there is one process more than CPUs, and not many: each imports all tests. Each begins with a part
# of the files, so that a file seldom makes what its tests share twice, and at the end takes tests from the others.
PARALLEL = ("-rfEs", "-n", str(min(8, 1 + (os.cpu_count() or 1))), "--dist", "worksteal")
# A CPU second is spent once: what is imported is compiled once, and a thread that waits for another one sleeps, which
# on a busy computer is half of the cost of a program with two threads.
THRIFTY = {"PYTHONDONTWRITEBYTECODE": "", "OMP_WAIT_POLICY": "passive"}


def python_with(session: nox.Session, *groups: str) -> str:
    """A Python with the project and these dependency groups; installs only what has changed."""
    python = _environment(session, "app")
    if _changed(python, "app"):
        _install_project(session, python)
        _remember(python, "app")
    for group in groups:
        if _changed(python, group):
            _install(session, python, *_constraint(), *nox.project.dependency_groups(_PROJECT, group))
            _remember(python, group)
    return str(python)


def python_of_tests(session: nox.Session) -> str:
    """The Python of all tests: with the programs that read our voices, one of them in two versions."""
    python = python_with(session, "test", "peers", "readers")
    if _changed(Path(python), "sherpa2"):
        folder = Path(python).parent.parent / "sherpa2"
        shutil.rmtree(folder, ignore_errors=True)
        packages = nox.project.dependency_groups(_PROJECT, "sherpa2")
        _install(session, Path(python), "--no-deps", "--target", str(folder), *packages)
        _remember(Path(python), "sherpa2")
    return python


def python_of_group(session: nox.Session, group: str, folder: str | None = None) -> Path:
    """A Python with nothing but a dependency group, in a folder of the name of the group or this one."""
    python = _environment(session, folder or group)
    _install(session, python, *nox.project.dependency_groups(_PROJECT, group))
    return python


def _environment(session: nox.Session, name: str) -> Path:
    folder = _BUILT / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        session.run(sys.executable, "-m", "venv", str(folder), external=True)
    return python


def _install_project(session: nox.Session, python: Path) -> None:
    locked = pins.parse((ROOT / _HOME_ROW.pins).read_text(encoding="utf-8"))
    (_BUILT / "constraints.txt").write_text(pins.constraints(locked), encoding="utf-8")
    _install_torch(session, python)
    _install(session, python, *_constraint(), "setuptools", *_PROJECT["project"]["dependencies"])
    _install(session, python, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))


def _install_torch(session: nox.Session, python: Path) -> None:
    """Install torch from VOXMATRIX_TORCH_INDEX, else a CPU build that pip finds, else from the row `cpu`'s index."""
    torch = ["--no-deps", f"torch=={_HOME_ROW.torch}"]
    local = [f"{torch[1]}+{_HOME_ROW.torch_local}", "--find-links", str(ROOT / _HOME_ROW.wheelhouse)]
    if building.named_index(_HOME_ROW) is None:
        found = subprocess.run(_pip(python, torch[0], *local), capture_output=True, check=False)
        if found.returncode == 0:
            return
    _install(session, python, *torch, "--index-url", building.torch_index(_HOME_ROW))


def _constraint() -> list[str]:
    return ["--constraint", str(_BUILT / "constraints.txt")]


def _install(session: nox.Session, python: Path, *args: str) -> None:
    session.run(*_pip(python, *args), external=True)


def _pip(python: Path, *args: str) -> list[str]:
    return [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *args]


def _digest() -> str:
    """A hash of everything that determines what is installed."""
    declared = json.dumps([_PROJECT["project"], _PROJECT["dependency-groups"]])
    return hashlib.sha256(declared.encode() + (ROOT / _HOME_ROW.pins).read_bytes()).hexdigest()


def _marker(python: Path, what: str) -> Path:
    return python.parent.parent / f"installed-{what}"


def _changed(python: Path, what: str) -> bool:
    marker = _marker(python, what)
    return not marker.exists() or marker.read_text(encoding="utf-8") != _digest()


def _remember(python: Path, what: str) -> None:
    _marker(python, what).write_text(_digest(), encoding="utf-8")
