"""A teacher whose symbols are chords of known lengths."""

from collections.abc import Sequence

import numpy as np
import pytest

from voxmatrix.audio.waves import INT16_MAX
from voxmatrix.distil.student.batches import Utterance, scale_of, utterance
from voxmatrix.distil.student.corpus import HOP, RATE_HZ, TeacherSpeech
from voxmatrix.distil.student.network import Sizes
from voxmatrix.distil.student.waves import BINS

FIRST, LAST = 1, 2  # stand for the silence at the ends
SYMBOLS = range(10, 34)
SMALL = Sizes(text=16, rhythm=16, curves=16, sound=16, inner=(16,))


def say(ids: Sequence[int], durations: Sequence[int], *, filters: bool = False) -> TeacherSpeech:
    """Each symbol is a chord of its own, the first and the last one are silent."""
    random = np.random.default_rng(len(ids))
    waves, hz, own = [], [], []
    for symbol, frames in zip(ids, durations, strict=True):
        turns = np.arange(frames * HOP) / RATE_HZ
        centre = 250 * 1.13 ** (symbol - SYMBOLS[0])
        wave = sum(np.sin(2 * np.pi * centre * (1 + 0.1 * k) * turns + k) for k in range(-2, 3)) / 20
        waves.append((wave if symbol in SYMBOLS else 0) + 1e-4 * random.standard_normal(len(turns)))
        hz.append(np.full(frames, 100.0 + 5 * (symbol - SYMBOLS[0]) if symbol in SYMBOLS and symbol % 4 else 0.0))
        own.append(np.broadcast_to(np.random.default_rng(symbol).standard_normal((4, BINS)), (frames, 4, BINS)))
    samples = (np.concatenate(waves) * INT16_MAX).astype(np.int16)
    found = np.concatenate(own).astype(np.float16) if filters else None
    return TeacherSpeech(samples, np.concatenate(hz).astype(np.float32), found)


def sentence(number: int) -> tuple[list[int], list[int]]:
    """Ids and their frames."""
    random = np.random.default_rng(number)
    inner = random.permutation(SYMBOLS)[:20].tolist()
    return [FIRST, *inner, LAST], [int(random.integers(5, 40)), *random.integers(4, 12, 20).tolist(), 30]


def utterances_of(count: int, *, filters: bool = False) -> list[Utterance]:
    """Sentences with the durations that they have."""
    known = [sentence(number) for number in range(count)]
    spoken = [say(*one, filters=filters) for one in known]
    scale = scale_of(spoken)
    return [
        utterance(ids, np.array(durations), speech, scale)
        for (ids, durations), speech in zip(known, spoken, strict=True)
    ]


@pytest.fixture(scope="session")
def utterances() -> list[Utterance]:
    """Sentences of a teacher that gives nothing but samples."""
    return utterances_of(12)
