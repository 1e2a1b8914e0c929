import os
import sys

import pytest

from voxmatrix.errors import MissingProgramError
from voxmatrix.text.phonemes import process
from voxmatrix.text.phonemes.process import EndedError, LineProgram

UPPER = "import sys\nfor line in sys.stdin: print(line.strip().upper())"


@pytest.fixture
def upper():
    program = LineProgram([sys.executable, "-c", UPPER])
    yield program
    program.stop()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
def test_lines_come_at_once_through_a_terminal(upper):
    assert not upper.holds_back
    for word in ("one", "två", "三"):
        upper.write(f"{word}\n")
        assert upper.read(30) == word.upper()


def test_without_a_terminal_lines_come_when_there_are_many(monkeypatch):
    monkeypatch.setattr(process, "_open_terminal", lambda: None)
    program = LineProgram([sys.executable, "-c", UPPER])
    assert program.holds_back
    program.write("word\n" * 20_000)
    assert program.read(30) == "WORD"
    program.stop()


def test_a_silent_program_is_given_up(upper):
    with pytest.raises(EndedError):
        upper.read(0.05)


def test_the_end_is_seen_again_and_again():
    program = LineProgram([sys.executable, "-c", "print('last words')"])
    assert program.read(30) == "last words"
    for _ in range(3):
        with pytest.raises(EndedError):
            program.read(30)
    program.stop()


def test_nobody_writes_to_the_dead(upper):
    upper.stop()
    with pytest.raises(EndedError):
        upper.write("hello\n")


def test_what_is_no_program_is_exit_7(tmp_path):
    with pytest.raises(MissingProgramError, match="cannot be started"):
        LineProgram([str(tmp_path / "nothing")])
