import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.book.join.books import tone
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.book.shop.check import check_files, sound_files
from voxmatrix.book.shop.measure import measure_file
from voxmatrix.errors import BadInputError
from voxmatrix.tables.shops import shop_named

ACX = shop_named("acx")
RATE_HZ = 44100


def sound(
    head: float = 0.75, tail: float = 2.0, amplitude: float = 0.2, floor: float = 1e-4, channels: int = 1
) -> np.ndarray:
    """Three seconds of a tone with a pause, in noise."""
    parts = [np.zeros(round(head * RATE_HZ)), tone(2, 300, amplitude, RATE_HZ), np.zeros(RATE_HZ // 2)]
    parts += [tone(1, 400, amplitude, RATE_HZ), np.zeros(round(tail * RATE_HZ))]
    made = np.concatenate(parts)
    made = made + np.random.default_rng(1).normal(0, floor, len(made))
    return np.stack([made] * channels, axis=1)


def file(folder: Path, name: str = "01 One.mp3", made: np.ndarray | None = None, *options: str) -> Path:
    soundfile.write(folder / "sound.wav", sound() if made is None else made, RATE_HZ, subtype="PCM_16")
    given = options or ("-b:a", "192k")
    command = [ffmpeg_program(), "-v", "error", "-y", "-i", str(folder / "sound.wav"), *given, str(folder / name)]
    subprocess.run(command, check=True)
    return folder / name


def refused(*paths: Path) -> list[str]:
    return [one.what for one in check_files(paths, ACX).refused]


def test_a_file_within_all_limits_is_measured_and_taken(tmp_path: Path) -> None:
    report = check_files([file(tmp_path)], ACX)
    assert report.refused == ()
    (found,) = report.to_json()["files"]
    assert found["file"] == "01 One.mp3" and found["format"] == "mp3"
    assert (found["kbit"], found["constant"], found["rate_hz"], found["channels"]) == (192, True, 44100, 1)
    assert found["seconds"] == pytest.approx(6.25, abs=0.03) and found["rms_db"] == pytest.approx(-20.3, abs=0.4)
    assert found["floor_db"] == pytest.approx(-80, abs=2)
    assert found["head_seconds"] == pytest.approx(0.75, abs=0.05) == found["tail_seconds"] - 1.25


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (sound(head=0.2), ["head"]),
        (sound(head=1.5), ["head"]),
        (sound(tail=0.5), ["tail"]),
        (sound(tail=6.0), ["tail"]),
        (sound(amplitude=0.1), ["rms"]),
        (sound(amplitude=0.9), ["rms", "peak"]),
        (sound(floor=2e-3), ["floor"]),
    ],
)
def test_each_figure_beyond_its_limit_is_named(tmp_path: Path, made: np.ndarray, what: list[str]) -> None:
    assert refused(file(tmp_path, made=made)) == what


@pytest.mark.parametrize(
    ("name", "options", "what"),
    [
        ("a.mp3", ("-b:a", "128k"), ["bit-rate"]),
        ("a.mp3", ("-q:a", "0"), ["constant-bit-rate"]),
        ("a.mp3", ("-b:a", "192k", "-ar", "48000"), ["sample-rate"]),
        ("a.m4b", ("-b:a", "128k", "-f", "ipod"), ["format"]),
        ("a.wav", ("-c:a", "pcm_s16le"), ["format"]),
        ("Sample.mp3", (), ["length"]),
    ],
)
def test_each_kind_of_file_that_is_not_taken_is_named(
    tmp_path: Path, name: str, options: tuple[str, ...], what: list[str]
) -> None:
    assert [one for one in refused(file(tmp_path, name, None, *options)) if one != "bit-rate" or one in what] == what


def test_the_problem_has_the_value_and_the_limit(tmp_path: Path) -> None:
    (one,) = check_files([file(tmp_path, made=sound(head=0.2))], ACX).refused
    assert one.problem.startswith("the silence before its first word lasts 0.2") and one.problem.endswith(
        " s, and ACX takes 0.5 to 1 s"
    )
    assert (one.least, one.most) == (0.5, 1.0) and one.value == pytest.approx(0.2, abs=0.05)


def test_all_files_have_the_same_channels(tmp_path: Path) -> None:
    one, other = file(tmp_path, "1.mp3"), file(tmp_path, "2.mp3", sound(channels=2))
    assert refused(one, other) == ["channels"] and refused(other) == []
    assert measure_file(other).rms_db == pytest.approx(measure_file(one).rms_db, abs=0.3)


def test_a_file_may_not_be_too_long(tmp_path: Path) -> None:
    short = replace(ACX, most_seconds=5.0)
    (one,) = check_files([file(tmp_path)], short).refused
    assert one.what == "length" and one.most == 5


def test_what_several_files_lack_is_known_by_their_names(tmp_path: Path) -> None:
    paths = [file(tmp_path, name) for name in ("00 Opening.mp3", "01.mp3")]
    assert check_files(paths, ACX).missing == ["closing credits", "retail sample"]
    assert check_files(paths[:1], ACX).missing == []


def test_silence_has_no_first_word(tmp_path: Path) -> None:
    assert set(refused(file(tmp_path, made=np.zeros(RATE_HZ * 8)))) == {"rms", "head", "tail"}


def test_the_files_of_a_folder_are_its_sound_files(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="has no sound file"):
        sound_files([tmp_path])
    for name in ("b.MP3", "a.mp3", "a.m3u8", "cover.jpg"):
        tmp_path.joinpath(name).touch()
    assert [path.name for path in sound_files([tmp_path, Path("x.wav")])] == ["a.mp3", "b.MP3", "x.wav"]


def test_what_is_no_sound_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    path.write_text("This is a text.", encoding="utf-8")
    with pytest.raises(BadInputError):
        check_files([path], ACX)
