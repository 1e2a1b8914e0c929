from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.book.join.books import RATE_HZ, book, finished, heard, speech, spoken, tone
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.loudness import MAX_GAIN_DB, TARGET_LUFS, SpeechMeter, measure
from voxmatrix.book.join.samples import chapter_sound, levelled
from voxmatrix.book.join.timeline import Pauses, Spoken, Timeline, timeline
from voxmatrix.errors import DamagedFileError


def pcm(line: Timeline, number: int, gain_db: float) -> np.ndarray:
    chapter = line.chapters[number]
    gains = [gain_db] * len(chapter.sentences)
    return np.frombuffer(b"".join(chapter_sound(chapter, line.rate_hz, gains)), "<i2")


def test_every_chapter_is_as_loud_as_an_audiobook(tmp_path: Path) -> None:
    ready = finished(book(["One", "Two", "Three"]), speech(tmp_path, [6, 6, 6]))
    assert len(set(ready.levels.gains_db)) == 3
    for number, gain_db in enumerate(ready.levels.gains_db):
        soundfile.write(tmp_path / "chapter.wav", pcm(ready.line, number, gain_db), RATE_HZ)
        assert heard(tmp_path / "chapter.wav")[0] == pytest.approx(TARGET_LUFS, abs=0.3)


def test_one_gain_for_a_chapter_keeps_a_whisper_quieter_than_a_shout(tmp_path: Path) -> None:
    sentences = [
        spoken(tmp_path / "a.wav", tone(2, amplitude=0.3), index=1),
        spoken(tmp_path / "b.wav", tone(2, amplitude=0.15), index=2),
    ]
    ready = finished(book(["One"]), sentences)
    loud, quiet = ready.levels.sentences_lufs
    assert loud - quiet == pytest.approx(6.02, abs=0.05)
    samples = pcm(ready.line, 0, ready.levels.gains_db[0]).astype(float)
    first, second = (samples[one.start : one.end] for one in ready.line.sentences)
    assert np.std(first) / np.std(second) == pytest.approx(2, rel=0.01)


def test_a_voice_is_as_loud_as_the_narrator_of_its_chapter(tmp_path: Path) -> None:
    said = [("", 0.3), ("anna", 0.15), ("", 0.3), ("anna", 0.15), ("bo", 0.01)]
    sentences = [
        replace(spoken(tmp_path / f"{n}.wav", tone(0.5 if voice == "bo" else 2, amplitude=loud), index=n), voice=voice)
        for n, (voice, loud) in enumerate(said, start=1)
    ]
    ready = finished(book(["One"]), sentences)
    ((chapter, gains),) = ready.chapters()
    assert gains[1] - gains[0] == pytest.approx(6, abs=0.05)
    assert gains[2] == gains[0] and gains[3] == gains[1]
    assert gains[4] == gains[0], "too little is heard of him"
    sound = np.frombuffer(b"".join(chapter_sound(chapter, ready.line.rate_hz, gains)), "<i2")
    soundfile.write(tmp_path / "chapter.wav", sound, RATE_HZ)
    assert heard(tmp_path / "chapter.wav")[0] == pytest.approx(TARGET_LUFS, abs=0.3)


def test_a_chapter_and_a_sentence_sound_the_same_whatever_is_around_them(tmp_path: Path) -> None:
    sentences = speech(tmp_path, [3, 4, 2])
    whole = finished(book(["One", "Two", "Three"]), sentences)
    alone = timeline(whole.book.chapters[1:2], [one for one in sentences if one.chapter == 2])
    levels = measure(alone)
    assert levels.gains_db[0] == whole.levels.gains_db[1]
    assert levels.sentences_lufs == whole.levels.sentences_lufs[3:7]
    assert np.array_equal(pcm(alone, 0, levels.gains_db[0]), pcm(whole.line, 1, whole.levels.gains_db[1]))


def test_a_chapter_sounds_the_same_without_any_pause_before_it(tmp_path: Path) -> None:
    sentences = speech(tmp_path, [3, 3])
    settings = JoinSettings(pauses=Pauses(sentence=0, paragraph=0, chapter=0))
    whole = finished(book(["One", "Two"]), sentences, settings)
    alone = timeline(whole.book.chapters[1:], sentences[3:], settings.pauses)
    assert measure(alone).gains_db[0] == whole.levels.gains_db[1]


def test_silence_and_an_empty_chapter_have_no_gain(tmp_path: Path) -> None:
    sentences = [spoken(tmp_path / "a.wav", np.zeros(8000)), spoken(tmp_path / "c.wav", tone(1), chapter=3)]
    levels = finished(book(["Silence", "Empty", "Sound"]), sentences).levels
    assert levels.gains_db[:2] == (0.0, 0.0) and levels.gains_db[2] != 0
    assert levels.sentences_lufs[0] == -70.0


def test_a_hiss_is_not_made_speech(tmp_path: Path) -> None:
    sentences = [spoken(tmp_path / "a.wav", tone(1, amplitude=0.0005))]
    assert finished(book(["One"]), sentences).levels.gains_db == (MAX_GAIN_DB,)


def test_a_very_short_sentence_is_measured(tmp_path: Path) -> None:
    sentences = [spoken(tmp_path / "a.wav", tone(0.01))]
    assert -60 < finished(book(["One"]), sentences).levels.sentences_lufs[0] < -20


def test_damaged_speech_is_named_before_anything_is_written(tmp_path: Path) -> None:
    sentences = speech(tmp_path, [2, 2])
    sentences[3].path.write_bytes(b"")
    with pytest.raises(DamagedFileError, match="chapter 2, sentence 2"):
        finished(book(["One", "Two"]), sentences)


def test_the_sound_is_as_long_as_the_timeline_says(tmp_path: Path) -> None:
    ready = finished(book(["One", "Empty", "Three"]), speech(tmp_path, [3, 0, 2]))
    for number, chapter in enumerate(ready.line.chapters):
        sound = pcm(ready.line, number, ready.levels.gains_db[number])
        assert len(sound) == chapter.end - chapter.start
        for sentence in chapter.sentences:
            assert not sound[sentence.end - chapter.start : sentence.pause_end - chapter.start].any()


def test_without_a_gain_quiet_speech_keeps_its_samples() -> None:
    samples = (tone(0.5) * 32768).astype(np.int16)
    assert np.array_equal(levelled(samples, RATE_HZ, 0.0), samples)


@pytest.fixture
def line(tmp_path: Path) -> Timeline:
    return timeline(book(["One", "Empty", "Three"]).chapters, speech(tmp_path, [4, 0, 3]))


def metered(line: Timeline, given: Sequence[Spoken]) -> SpeechMeter:
    """A meter whose thread has had all the time for what it was given."""
    meter = SpeechMeter()
    meter.start()
    for sentence in given:
        meter.add(sentence)
    for sentence in given:
        with suppress(DamagedFileError):
            meter.powers(sentence)
    meter.stop()
    return meter


@pytest.mark.parametrize("given", [0, 3, 99])
def test_the_levels_are_the_same_whatever_was_measured_before(line: Timeline, given: int) -> None:
    levels = measure(line)
    assert measure(line, meter=metered(line, [one.spoken for one in line.sentences][:given])) == levels


def test_each_sentence_is_read_once(line: Timeline) -> None:
    meter = metered(line, [one.spoken for one in line.sentences])
    for sentence in line.sentences:
        sentence.spoken.path.unlink()
    assert len(measure(line, meter=meter).sentences_lufs) == len(line.sentences)


def test_damaged_speech_is_an_error_when_it_is_asked_for(line: Timeline) -> None:
    line.sentences[2].spoken.path.write_bytes(b"changed")
    meter = metered(line, [one.spoken for one in line.sentences])
    with pytest.raises(DamagedFileError):
        measure(line, meter=meter)
