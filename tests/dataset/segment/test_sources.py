from pathlib import Path

import pytest

from voxmatrix.dataset.segment.sources import sources
from voxmatrix.errors import BadInputError

SRT = "00:01.000 --> 00:02.000\nOne.\n"


def test_the_recordings_of_a_folder_are_in_natural_order(tmp_path: Path) -> None:
    names = ["New Recording 10.m4a", "New Recording 2.m4a", "part 2/a.wav", "part 10/a.wav", "._2.m4a", "script.txt"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "again").symlink_to(".")
    found = sources([tmp_path], tmp_path / "out")
    assert [one.recording.relative_to(tmp_path).as_posix() for one in found] == [
        "New Recording 2.m4a",
        "New Recording 10.m4a",
        "part 2/a.wav",
        "part 10/a.wav",
    ]
    assert not any(one.text for one in found)


def test_labels_are_taken_before_a_text_and_other_json_is_none(tmp_path: Path) -> None:
    for name, content in {
        "a[1].wav": "",
        "a[1].txt": "One.",
        "a[1].srt": SRT,
        "b.wav": "",
        "b.json": '{"key": 1}',
        "b.txt": "Two.",
        "c.wav": "",
        "c.TextGrid": "damaged",
        "d.wav": "",
        "d.json": "{}",
    }.items():
        (tmp_path / name).write_text(content)
    assert [one.text and one.text.name for one in sources([tmp_path], tmp_path / "out")] == [
        "a[1].srt",
        "b.txt",
        "c.TextGrid",
        None,
    ]


def test_named_recordings_stay_as_they_are_named(tmp_path: Path) -> None:
    paths = [tmp_path / "b.wav", tmp_path / "a.wav"]
    assert [one.recording for one in sources(paths, tmp_path / "out")] == paths


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="contains no recordings"):
        sources([tmp_path], tmp_path / "out")


def test_clips_that_were_made_in_the_folder_are_not_cut_again(tmp_path: Path) -> None:
    for name in ("a.wav", "out/wavs/a-00001.wav"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [one.recording for one in sources([tmp_path], tmp_path / "out")] == [tmp_path / "a.wav"]
