from pathlib import Path

import numpy as np
import pytest

from tests.book.join.books import RATE_HZ, book, finished, spoken, tone
from voxmatrix.audio.loudness_meter import true_peaks
from voxmatrix.book.shop.mastering import ROOM_TONE_DB, Master
from voxmatrix.tables.shops import shop_named

ACX = shop_named("acx")


def mastered(folder: Path, *sounds: np.ndarray) -> np.ndarray:
    units = [spoken(folder / f"{index}.wav", sound, index=index) for index, sound in enumerate(sounds, start=1)]
    sentences = finished(book(["One"]), units).line.sentences
    return np.frombuffer(
        b"".join(Master(sentences, [0.0] * len(sentences), RATE_HZ, ACX).sound()), np.int16
    ) / np.float32(32768)


def db(samples: np.ndarray) -> float:
    return float(10 * np.log10(np.square(samples, dtype=np.float64).mean()))


def clicks() -> np.ndarray:
    """Sound whose peaks are 25 dB above its level: without a limiter, they would be too high."""
    sound = tone(3, amplitude=0.02)
    sound[::1600] = 0.6
    return sound


@pytest.mark.parametrize("sounds", [(tone(2),), (tone(2, amplitude=0.01), tone(1, 500, 0.02)), (clicks(),)])
def test_the_level_is_that_of_the_shop_and_peaks_are_below_its_own(tmp_path: Path, sounds: tuple[np.ndarray]) -> None:
    samples = mastered(tmp_path, *sounds)
    assert db(samples) == pytest.approx(ACX.aim_rms_db, abs=0.1)
    assert 20 * np.log10(true_peaks(samples).max()) < ACX.aim_peak_db + 0.1


def test_there_is_room_tone_at_both_ends_whatever_silence_the_speech_has(tmp_path: Path) -> None:
    padded = np.concatenate([np.zeros(RATE_HZ), tone(1), np.zeros(2 * RATE_HZ)])
    samples = mastered(tmp_path, padded)
    assert len(samples) / RATE_HZ == pytest.approx(1 + ACX.aim_head_seconds + ACX.aim_tail_seconds + 0.1, abs=0.05)
    head, tail = samples[: round(0.75 * RATE_HZ)], samples[-2 * RATE_HZ :]
    assert db(head) == pytest.approx(ROOM_TONE_DB, abs=0.3) == db(tail)
    assert np.count_nonzero(head) > 0.8 * len(head)


def test_pauses_stay_as_they_are(tmp_path: Path) -> None:
    samples = mastered(tmp_path, tone(1), tone(1))
    quiet = np.abs(samples) < 0.001
    assert len(samples) / RATE_HZ == pytest.approx(2 + 0.3 + 2.75, abs=0.1)
    assert quiet[round(1.8 * RATE_HZ) : round(2.04 * RATE_HZ)].all()


def test_silence_is_left_alone(tmp_path: Path) -> None:
    assert db(mastered(tmp_path, np.zeros(RATE_HZ))) == pytest.approx(ROOM_TONE_DB, abs=0.3)
