"""What models hear in recordings: each is heard once, and only what is wrong is told."""

from pathlib import Path

import numpy as np
import pytest

from tests.dataset.broken import SENTENCES
from tests.dataset.test_prepare import good, settings
from voxmatrix.audio.waves import Samples
from voxmatrix.dataset.listening import Listeners
from voxmatrix.dataset.prepare import prepare
from voxmatrix.judge.hearing import missing_words


class FakeRecogniser:
    """Hears what it is told to hear, by the number of samples."""

    name = "fake"

    def __init__(self, words: str) -> None:
        self.words = words
        self.count = 0

    def hear(self, samples: Samples, rate_hz: int) -> tuple[str, float]:
        self.count += 1
        assert samples.dtype == np.float32 and np.abs(samples).max() <= 1
        return self.words, 0.9

    def missing(self, text: str, heard: str) -> str:
        return missing_words(text, heard, "en-us")


@pytest.fixture
def steps() -> list[tuple[int, int]]:
    return []


def test_other_words_are_left_out_and_no_recording_is_heard_twice(tmp_path: Path, steps: list[tuple[int, int]]) -> None:
    data = good(tmp_path / "data")
    (data / "metadata.csv").write_text("\n".join(f"{number}|{SENTENCES[number % 2]}" for number in range(4)))
    recogniser = FakeRecogniser(SENTENCES[1])

    for _ in range(2):
        heard = Listeners(recogniser=recogniser)
        prepared = prepare(data, settings(tmp_path), lambda done, total: steps.append((done, total)), heard)

    assert recogniser.count == 4
    assert [(problem.id, problem.kind) for problem in prepared.problems] == [("0", "other-words"), ("2", "other-words")]
    assert [clip.id for clip in prepared.clips] == ["1", "3"]
    assert steps[-1] == (8, 8) and steps == sorted(steps[:10]) + steps[10:]


def test_a_voice_unlike_the_others_is_left_out(tmp_path: Path) -> None:
    data = good(tmp_path / "data", count=12)
    calls: list[int] = []

    def likeness(samples: Samples, rate_hz: int) -> Samples:
        calls.append(len(samples))
        return np.eye(2, dtype=np.float32)[int(len(calls) == 1)]

    for _ in range(2):
        prepared = prepare(data, settings(tmp_path), None, Listeners(likeness=likeness))

    assert len(calls) == 12
    assert [(problem.id, problem.kind) for problem in prepared.problems] == [("0", "other-speaker")]


def test_a_few_recordings_may_be_of_anybody(tmp_path: Path) -> None:
    voices = iter(np.eye(4, dtype=np.float32))
    listeners = Listeners(likeness=lambda samples, rate_hz: next(voices))
    assert prepare(good(tmp_path / "data"), settings(tmp_path), None, listeners).problems == ()
