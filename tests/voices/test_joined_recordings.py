"""Joined recordings at the doors: `prepare` and `train`, `segment`, `voices clone`. With -s, it prints a table."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import soundfile

from tests.toys.engines import install_engine
from tests.toys.joined import CODECS, by_bytes, by_ffmpeg, ffmpeg
from tests.toys.recordings import recording
from voxmatrix.audio.long import LongRecording
from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.sound import make_sound
from voxmatrix.voices.clone import check_recording

PIECE_SECONDS = 2.4
#: A coder adds up to this to a piece; the silence at both ends of the whole is cut.
PADDING_SECONDS, SILENCE_SECONDS = 0.12, 1.0


@pytest.mark.parametrize("count", [2, 3, 10])
@pytest.mark.parametrize("ending", ["flac", "mp3", "opus", "ogg", "m4a", "wav"])
@pytest.mark.parametrize("join", [by_bytes, by_ffmpeg], ids=["bytes", "ffmpeg"])
def test_every_door_hears_all_pieces(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    join: Callable[[Sequence[Path]], Path],
    ending: str,
    count: int,
) -> None:
    install_engine()
    monkeypatch.setitem(sys.modules, "resemblyzer", None)
    source = recording(tmp_path / "source.wav", PIECE_SECONDS)
    ffmpeg("-i", source, *CODECS[ending], tmp_path / f"0.{ending}")
    path, there = join([tmp_path / f"0.{ending}"] * count), count * soundfile.info(source).duration
    with Cache(tmp_path / "cache") as cache:
        facts = make_sound(path, 22050, "abcd", cache)
    heard = {
        "prepare, train": facts.seconds,
        "segment": LongRecording(path, tmp_path / "work").seconds,
        "voices clone": check_recording(path, "toy")[0],
    }
    print("".join(f"\n| {path.name} | {count} | {door} | {s:.2f} of {there:.2f} s |" for door, s in heard.items()))
    assert facts.problem == ""
    for seconds in heard.values():
        assert there - SILENCE_SECONDS < seconds < there + PADDING_SECONDS * count
