"""What is measured while a book is spoken is what would be measured afterwards."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.book.join.books import book, speech
from voxmatrix.audio.loudness_meter import MeasuredSound
from voxmatrix.book.join.sound.levels import measure
from voxmatrix.book.join.sound.meter import SpeechMeter
from voxmatrix.book.join.timeline import Spoken, Timeline, timeline


@pytest.fixture
def line(tmp_path: Path) -> Timeline:
    return timeline(book(["One", "Empty", "Three"]).chapters, speech(tmp_path, [4, 0, 3]))


def metered(line: Timeline, left_out: Sequence[Spoken] = ()) -> list[MeasuredSound] | None:
    meter = SpeechMeter()
    for chapter in line.chapters:
        for sentence in chapter.sentences:
            if sentence.spoken not in left_out:
                pause_seconds = (sentence.pause_end - sentence.end) / line.rate_hz
                meter.add(sentence.spoken, pause_seconds, ends_chapter=sentence is chapter.sentences[-1])
    meter.finish()
    return meter.result(line, lambda done, total: None)


def test_the_levels_are_the_same(line: Timeline) -> None:
    measured = metered(line)
    assert measured is not None
    assert measure(line, measured=measured) == measure(line)


def test_other_sentences_than_those_of_the_book_are_no_result(line: Timeline) -> None:
    assert metered(line, [line.sentences[-1].spoken]) is None
    assert metered(line, [one.spoken for one in line.sentences]) is None


def test_damaged_speech_is_no_result(line: Timeline) -> None:
    line.sentences[2].spoken.path.write_bytes(b"changed")
    assert metered(line) is None
