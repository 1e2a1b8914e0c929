from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.book.join.books import RATE_HZ, spoken, tone
from voxmatrix.book.join.samples import read_speech
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import digest


@pytest.mark.parametrize("name", ["a.flac", "a.wav"])
def test_the_samples_are_those_of_the_file(tmp_path: Path, name: str) -> None:
    samples = read_speech(spoken(tmp_path / name, tone(0.5)))
    assert samples.dtype == np.int16
    assert np.array_equal(samples, soundfile.read(tmp_path / name, dtype="int16")[0])


def test_one_changed_bit_is_found_and_the_sentence_is_named(tmp_path: Path) -> None:
    sentence = spoken(tmp_path / "a.wav", tone(0.5), chapter=3, index=7)
    content = bytearray(sentence.path.read_bytes())
    content[-9] ^= 1
    sentence.path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"chapter 3, sentence 7 \('Sentence 7 of chapter 3.'\): .*checksum"):
        read_speech(sentence)


def test_a_truncated_file_is_found(tmp_path: Path) -> None:
    sentence = spoken(tmp_path / "a.flac", tone(0.5))
    sentence.path.write_bytes(sentence.path.read_bytes()[:-50])
    with pytest.raises(DamagedFileError, match="chapter 1, sentence 1"):
        read_speech(sentence)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    sentence = spoken(tmp_path / "a.flac", tone(0.5), chapter=3, index=7)
    sentence.path.unlink()
    with pytest.raises(BadInputError, match=r"chapter 3, sentence 7 .*cannot read .*a\.flac"):
        read_speech(sentence)


def _written(path: Path, sound: np.ndarray, subtype: str = "PCM_16") -> Spoken:
    sentence = spoken(path, tone(0.5))
    soundfile.write(path, sound, RATE_HZ, subtype=subtype)
    return replace(sentence, sha256=digest(path))


@pytest.mark.parametrize(
    ("sound", "subtype", "seen"),
    [
        (np.zeros((8000, 2)), "PCM_16", "2 channels"),
        (np.zeros(8000), "PCM_24", "PCM_24"),
        (np.zeros(7999), "PCM_16", "7999 samples"),
    ],
)
def test_another_sound_than_promised_is_found(tmp_path: Path, sound: np.ndarray, subtype: str, seen: str) -> None:
    with pytest.raises(DamagedFileError, match=f"chapter 1, sentence 1 .*{seen}"):
        read_speech(_written(tmp_path / "a.wav", sound, subtype))


@pytest.mark.parametrize("content", [b"", b"no sound" * 100])
def test_a_file_that_is_no_sound_is_found(tmp_path: Path, content: bytes) -> None:
    sentence = spoken(tmp_path / "a.wav", tone(0.5))
    sentence.path.write_bytes(content)
    with pytest.raises(DamagedFileError, match="is not a sound file"):
        read_speech(replace(sentence, sha256=digest(sentence.path)))
