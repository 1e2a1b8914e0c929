from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
import soundfile

from tests.dataset.broken import speech
from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.sound import make_sound, sound_key
from voxmatrix.errors import UnreachableError
from voxmatrix.files import storage_errors


def test_samples_are_stored_trimmed_as_16_bits_at_the_rate(tmp_path: Path) -> None:
    samples = np.concatenate([np.zeros(44100), speech(2.0, 44100), np.zeros(44100)])
    soundfile.write(tmp_path / "a.wav", samples, 44100, subtype="FLOAT")
    with Cache(tmp_path / "cache") as cache:
        facts = make_sound(tmp_path / "a.wav", 22050, "abcd", cache)
        stored = np.load(Cache.clip_path(cache.folder, "abcd"))
        assert cache.holds_clip("abcd", facts.samples)
    assert stored.dtype == np.int16
    assert stored.ndim == 1
    assert len(stored) == facts.samples
    assert 1.9 < facts.trimmed_seconds < 2.2
    assert facts.seconds == 4.2
    assert abs(np.abs(stored).max() / 32767 - np.abs(samples).max()) < 0.02


def test_what_is_wrong_with_a_file_stands_in_its_facts(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"no sound")
    with Cache(tmp_path / "cache") as cache:
        facts = make_sound(tmp_path / "a.wav", 22050, "abcd", cache)
        assert not Cache.clip_path(cache.folder, "abcd").exists()
    assert (facts.fault, facts.samples) == ("unreadable", 0)
    assert "a.wav" in facts.problem


def test_a_recording_beyond_full_scale_is_scaled_and_not_clipped(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", speech(1.0, 22050, level=3.0), 22050, subtype="FLOAT")
    with Cache(tmp_path / "cache") as cache:
        make_sound(tmp_path / "a.wav", 22050, "abcd", cache)
        stored = np.load(Cache.clip_path(cache.folder, "abcd"))
    assert np.abs(stored.astype(int)).max() == 32767 and (np.abs(stored.astype(int)) == 32767).sum() < 3


def test_a_key_depends_on_content_rate_and_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {sound_key("a", 16000), sound_key("a", 22050), sound_key("b", 16000)}
    monkeypatch.setattr("voxmatrix.dataset.sound.READER_VERSION", 0)
    assert len({*keys, sound_key.__wrapped__("a", 16000)}) == 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_exit_code_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soundfile.write(tmp_path / "a.wav", speech(1.0), 22050)

    @contextmanager
    def full(path: Path) -> Iterator[BinaryIO]:
        with storage_errors(path), open("/dev/full", "wb") as file:  # noqa: PTH123
            yield file

    monkeypatch.setattr("voxmatrix.files.replacing", full)
    with Cache(tmp_path / "cache") as cache, pytest.raises(UnreachableError, match="No space left"):
        make_sound(tmp_path / "a.wav", 22050, "abcd", cache)
