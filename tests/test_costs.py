"""What is said of the cost of tests, and which of them are left out for it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import costs

SPEND = """
import time

def spend(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Tests that cost something, here and in a child."""
    (tmp_path / "spend.py").write_text(SPEND, encoding="utf-8")
    (tmp_path / "test_some.py").write_text(
        "import subprocess, sys\n"
        "from spend import spend\n"
        "def test_cheap(): spend(0.1)\n"
        "def test_in_a_child():\n"
        "    subprocess.run([sys.executable, '-c', 'from spend import spend; spend(1.2)'])\n",
        encoding="utf-8",
    )
    return tmp_path


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.costs", "-p", "no:cacheprovider", *words]
    environment = {"PYTHONPATH": f"{folder}:{Path(__file__).parents[1]}", "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_what_a_child_costs_is_counted_and_written(folder: Path) -> None:
    done = _run(folder, "-n", "1", "--costs", str(folder / "costs.txt"))
    assert done.returncode == 0, done.stdout + done.stderr
    written = costs.measured((folder / "costs.txt").read_text(encoding="utf-8"))
    assert list(written) == ["test_some.py::test_in_a_child"]
    assert written["test_some.py::test_in_a_child"] >= 1.2


def test_lines_of_the_file_are_read_with_spaces_in_their_names() -> None:
    assert costs.measured("# steps\n2.5 tests/a.py::t[one two]\n\n1.0 b\n") == {"tests/a.py::t[one two]": 2.5, "b": 1.0}


@pytest.mark.parametrize("error", [FileNotFoundError, ProcessLookupError])
def test_a_process_that_ends_while_it_is_looked_at_costs_no_more(
    monkeypatch: pytest.MonkeyPatch, error: type[OSError]
) -> None:
    def gone(path: Path, pattern: str) -> Iterator[Path]:
        yield path / str(os.getpid()) / pattern.removeprefix("*/")
        raise error(path)

    monkeypatch.setattr(Path, "glob", gone)
    costs.pytest_runtest_logstart()  # an error here would end the whole run


def test_the_file_of_the_last_run_can_be_read() -> None:
    assert costs.measured(costs.MEASURED.read_text(encoding="utf-8"))
