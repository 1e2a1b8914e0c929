"""A book that is encoded in parts sounds as if it had been encoded in one piece, and is the same on every computer."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from tests.book.join.books import RATE_HZ, book, decoded, finished, probe, speech, spoken, tone
from voxmatrix.book.join import m4b as parts_module
from voxmatrix.book.join.finished import FinishedSpeech, JoinSettings
from voxmatrix.book.join.m4b import parts, write_m4b
from voxmatrix.book.join.sound_file import AAC_FRAME
from voxmatrix.book.join.timeline import Pauses


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_module, "PART_SECONDS", 1.5)


@pytest.fixture
def ready(tmp_path: Path) -> FinishedSpeech:
    return finished(book(["One", "", "Three"]), speech(tmp_path / "units", [4, 0, 5]))


@pytest.mark.usefixtures("short_parts")
def test_parts_are_whole_frames_and_end_in_pauses(ready: FinishedSpeech) -> None:
    found = parts(ready)
    assert len(found) > 3
    assert [one for part in found for one, _ in part.sentences] == ready.line.sentences
    assert (found[0].start, found[-1].end) == (0, ready.line.samples)
    for part, following in itertools.pairwise(found):
        last = part.sentences[-1][0]
        assert (part.end - part.start) % AAC_FRAME == 0
        assert following.start == part.end + AAC_FRAME
        assert last.end < part.end < following.start < last.pause_end


@pytest.mark.ffprobe
@pytest.mark.parametrize("rate_hz", [16000, 22050, 24000, 44100])
def test_it_sounds_like_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate_hz: int) -> None:
    units = [
        spoken(tmp_path / f"{n}.wav", tone(0.7, 200 + 40 * n, rate_hz=rate_hz), index=n, rate_hz=rate_hz)
        for n in range(1, 8)
    ]
    ready = finished(book(["One"]), units)
    whole = write_m4b(ready, tmp_path / "whole.m4b")
    monkeypatch.setattr(parts_module, "PART_SECONDS", 1.5)
    assert len(parts(ready)) > 2
    joined = write_m4b(ready, tmp_path / "joined.m4b")

    one, other = decoded(whole, rate_hz), decoded(joined, rate_hz)
    assert abs(len(one) - len(other)) <= AAC_FRAME
    length = min(len(one), len(other))
    difference = one[:length] - other[:length]
    assert 10 * np.log10(np.square(one).sum() / np.square(difference).sum()) > 30
    for sentence in ready.line.sentences:
        assert np.abs(other[sentence.end + 1500 : sentence.pause_end - 1500]).max() < 0.01
    marks = [probe(path)["marks"] for path in (whole, joined)]
    assert marks[0] == marks[1]


@pytest.mark.usefixtures("short_parts")
def test_the_number_of_cpus_does_not_matter(
    tmp_path: Path, ready: FinishedSpeech, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for number in (1, 3):
        monkeypatch.setattr(parts_module, "cpus", lambda number=number: number)
        written.append(write_m4b(ready, tmp_path / f"{number}.m4b").read_bytes())
    assert written[0] == written[1]


@pytest.mark.usefixtures("short_parts")
def test_progress_counts_the_parts(tmp_path: Path, ready: FinishedSpeech) -> None:
    steps: list[tuple[int, int]] = []
    write_m4b(ready, tmp_path / "book.m4b", lambda done, total: steps.append((done, total)))
    total = len(parts(ready))
    assert steps == [(number, total) for number in range(1, total + 1)]


@pytest.mark.usefixtures("short_parts")
def test_pauses_that_are_too_short_join_everything_to_one_part(tmp_path: Path) -> None:
    units = speech(tmp_path / "units", [6])
    assert (
        len(
            parts(finished(book(["One"]), units, JoinSettings(pauses=Pauses(sentence=0.1, paragraph=0.1, chapter=0.1))))
        )
        == 1
    )


@pytest.mark.usefixtures("short_parts")
def test_a_rate_that_aac_does_not_have_is_one_part(tmp_path: Path) -> None:
    units = [spoken(tmp_path / f"{n}.wav", tone(2, rate_hz=20000), index=n, rate_hz=20000) for n in (1, 2, 3)]
    ready = finished(book(["One"]), units)
    assert len(parts(ready)) == 1
    assert len(decoded(write_m4b(ready, tmp_path / "book.m4b"), 20000)) >= ready.line.samples - AAC_FRAME


def test_the_first_sentence_is_heard_from_its_first_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_module, "PART_SECONDS", 1.0)
    click = np.zeros(2 * RATE_HZ)
    click[[0, 1, RATE_HZ]] = 0.5
    units = [spoken(tmp_path / f"{n}.wav", click, index=n) for n in (1, 2, 3)]
    ready = finished(book(["One"]), units)
    assert len(parts(ready)) > 1
    sound = np.abs(decoded(write_m4b(ready, tmp_path / "book.m4b")))
    for sentence in ready.line.sentences:
        place = sentence.start + RATE_HZ
        assert abs(int(sound[place - 500 : place + 500].argmax()) - 500) <= 2
