"""A command that ends with the process that started it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from voxmatrix.lock import locked

ATTACHED = [sys.executable, "-m", "voxmatrix_entrypoint.attached"]


def started(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    return subprocess.Popen([*ATTACHED, str(folder), *words], stdin=pipe, stdout=pipe, stderr=pipe)


def test_it_is_the_command_with_its_output_and_its_exit_code(tmp_path: Path) -> None:
    with started(tmp_path, "voices", "list", "--nonsense", "--json") as process:
        assert process.stdout is not None
        assert b"nonsense" in process.stdout.read()
    assert process.returncode == 2


@pytest.mark.espeak
def test_it_ends_when_its_input_is_closed(tmp_path: Path) -> None:
    text = tmp_path / "long.txt"
    text.write_text("The quick brown fox jumps over the lazy dog. " * 5000, encoding="utf-8")
    words = ("speak", "--file", str(text), "--out", str(tmp_path / "out.wav"), "--device", "cpu", "--json")
    with started(tmp_path, *words) as process:
        assert process.stdout is not None and process.stdin is not None
        assert b"progress" in process.stdout.readline()
        process.stdin.close()
        assert process.wait(30) == 130
    assert (tmp_path / "out.partial.wav").exists()


def test_a_second_one_waits_for_the_first(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no lock that a crash releases")
    with locked(tmp_path, "job", ""):
        process = started(tmp_path, "--version")
        time.sleep(1.0)
        assert process.poll() is None
    with process:
        assert process.stdout is not None
        assert b"voxmatrix" in process.stdout.read()
