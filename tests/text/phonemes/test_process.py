import os
import sys

import pytest

from voxmatrix.text.phonemes.process import EndedError, LineProcess

UPPER = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"


@pytest.fixture
def upper():
    process = LineProcess([sys.executable, "-c", UPPER])
    yield process
    process.stop()


def test_each_line_is_answered(upper):
    for word in ("one", "two", "three"):
        upper.write(word.encode())
        assert upper.read(30) == f"{word.upper()}{os.linesep}".encode()


def test_a_silent_process_is_given_up(upper):
    with pytest.raises(EndedError):
        upper.read(0.05)


def test_the_end_is_seen_again_and_again():
    process = LineProcess([sys.executable, "-c", "print('last words')"])
    assert process.read(30).strip() == b"last words"
    for _ in range(3):
        with pytest.raises(EndedError):
            process.read(30)
    process.stop()


def test_half_a_line_is_no_answer():
    process = LineProcess([sys.executable, "-c", "print('half a', end='')"])
    for _ in range(2):
        with pytest.raises(EndedError):
            process.read(30)
    process.stop()


def test_nobody_writes_to_the_dead(upper):
    upper.stop()
    with pytest.raises(EndedError):
        upper.write(b"hello")
