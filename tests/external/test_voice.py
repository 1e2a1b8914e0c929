"""An open voice of an engine: it is heard while it is made, stops when nobody listens, and starts again."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor

import numpy as np
import psutil
import pytest

from tests.toys.engines import install_engine, write_toy_voice
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Style
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice, resolve


@pytest.fixture
def voice() -> Iterator[OpenVoice]:
    install_engine()
    opened = open_voice(resolve(write_toy_voice()))
    yield opened
    opened.close()


def sound(voice: OpenVoice, text: str) -> np.ndarray:
    return np.concatenate([segment() for segment in voice.say(SpokenText(text, text), Style(), 1).segments])


def test_a_sentence_is_heard_before_it_is_spoken(voice: OpenVoice) -> None:
    text = "some words that take more than half a second to say SLOW and the end"
    utterance = voice.say(SpokenText(text, text), Style(), 1)
    first = utterance.segments[0]()
    assert len(first) == 8000 and voice.is_loaded
    utterance.cancel()
    with pytest.raises(CancelledError):
        utterance.segments[-1]()
    assert np.array_equal(sound(voice, "some words that take more than half a second to say")[:8000], first)


def test_the_pieces_are_the_whole_whatever_the_length(voice: OpenVoice) -> None:
    short, long = sound(voice, "a"), sound(voice, "a " * 60)
    assert len(long) == 60 * len(short)


def test_an_engine_that_crashed_is_started_again(voice: OpenVoice) -> None:
    before = sound(voice, "Hello there.")
    with pytest.raises(MemoryExhaustedError):
        sound(voice, "one CRASH two")
    assert np.array_equal(sound(voice, "Hello there."), before)


@pytest.mark.parametrize("text", ["one HANG two", "one SLOW two"])
def test_closing_ends_the_engine_whatever_it_does(voice: OpenVoice, text: str) -> None:
    utterances = [voice.say(SpokenText(text, text), Style(), 1) for _ in range(3)]
    voice.load()
    engines = [one for one in psutil.Process().children(recursive=True) if "wire.py" in " ".join(one.cmdline())]
    assert len(engines) == 1
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(utterance.segments[-1]) for utterance in utterances]
        began = time.monotonic()
        voice.close()
        assert time.monotonic() - began < 10
        assert all(one.exception() is not None for one in waiting)
    assert not engines[0].is_running()


_PROGRAM = """
import sys
from voxmatrix.models.style import Style
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice, resolve

voice = open_voice(resolve("toy/bell"))
voice.load()
voice.say(SpokenText(sys.argv[1], sys.argv[1]), Style(), 1)
print("speaking", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("text", ["one HANG two", "one SLOW two", "FOREVER"])
def test_an_engine_ends_with_a_program_that_was_killed(text: str) -> None:
    install_engine()
    write_toy_voice()
    program = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, text],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with program:
        assert program.stdout is not None and program.stdout.readline() == b"speaking\n"
        (engine,) = psutil.Process(program.pid).children()
        program.kill()
    gone, left = psutil.wait_procs([engine], 20)
    assert gone and not left
