"""The script ./run, with stub programs in place of Python and nox."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import matrix

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="./run is for a POSIX shell")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that holds nothing but ./run."""
    shutil.copy(matrix.ROOT / "run", tmp_path / "run")
    return tmp_path


def _program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def _run(checkout: Path, *words: str, python: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin"} | ({"PYTHON": str(python)} if python else {})
    return subprocess.run(
        [str(checkout / "run"), *words], capture_output=True, text=True, check=False, env=environment, cwd="/"
    )


@pytest.mark.parametrize(
    ("words", "handed_on"),
    [
        ((), "--list"),
        (("demo",), "--sessions demo"),
        (("build-cpu", "smoke-cpu"), "--sessions build-cpu smoke-cpu"),
        (("tests", "--", "-k", "audio"), "--sessions tests -- -k audio"),
        (("--list",), "--list"),
    ],
)
def test_words_are_handed_to_nox_from_any_folder(checkout: Path, words: tuple[str, ...], handed_on: str) -> None:
    _program(checkout / ".run" / "bin" / "python", '[ "$1" = -c ] || echo "$@"')
    (checkout / ".run" / "made").touch()
    done = _run(checkout, *words)
    assert done.stdout == f"-m nox --noxfile {checkout}/noxfile.py {handed_on}\n"


def test_a_python_that_is_too_old_is_named_with_what_to_type(checkout: Path) -> None:
    old = _program(checkout / "old", '[ "$1" = --version ] && echo Python 3.9.2 || exit 1')
    done = _run(checkout, "demo", python=old)
    assert done.returncode == 7
    assert "Python 3.11 or newer is required, but found Python 3.9.2." in done.stderr
    assert "apt install python3 python3-venv" in done.stderr


def test_a_python_without_venv_is_named_with_what_to_type(checkout: Path) -> None:
    bare = _program(checkout / "bare", 'case "$2" in *ensurepip*) exit 1;; *"%d.%d"*) echo 3.11;; *) exit 0;; esac')
    done = _run(checkout, "demo", python=bare)
    assert done.returncode == 7
    assert "apt install python3-venv (or python3.11-venv)" in done.stderr


def test_an_environment_that_was_cut_short_is_made_again(checkout: Path) -> None:
    _program(checkout / ".run" / "bin" / "python", "echo must not be used")
    maker = _program(
        checkout / "maker",
        'case "$*" in "-m venv "*) mkdir -p "$4/bin"; '
        'printf \'#!/bin/sh\\n[ "$1" = - ] && cat >/dev/null; [ "$2" = nox ] && echo new; true\\n\' >"$4/bin/python"; '
        'chmod +x "$4/bin/python";; esac',
    )
    done = _run(checkout, "demo", python=maker)
    assert done.stdout == "new\n"
    assert (checkout / ".run" / "made").exists()


def test_it_can_be_run_by_its_name_with_a_space_in_the_path(checkout: Path) -> None:
    folder = checkout / "my voices"
    folder.mkdir()
    shutil.move(checkout / "run", folder / "run")
    _program(folder / ".run" / "bin" / "python", '[ "$1" = -c ] || echo "$4"')
    (folder / ".run" / "made").touch()
    assert _run(folder, "demo").stdout == f"{folder}/noxfile.py\n"
    assert os.access(folder / "run", os.X_OK)
