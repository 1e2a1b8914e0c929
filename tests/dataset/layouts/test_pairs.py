import os
import sys
from pathlib import Path

import pytest

from voxmatrix.dataset.layouts import pairs
from voxmatrix.dataset.layouts.layout import Transcript


def read(folder: Path) -> Transcript:
    transcript = pairs.read(folder)
    assert transcript is not None
    return transcript


def write(root: Path, **texts: str | bytes) -> None:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_recording_and_the_text_beside_it_are_a_pair_in_any_folder(tmp_path: Path) -> None:
    write(tmp_path, b_wav="", b_txt="Hello.\n", deep__a_flac="", deep__a_txt="\ufeffHej å")
    rows, problems = read(tmp_path)
    assert not problems
    assert [(row.file, row.text, row.line) for row in rows] == [
        ("b.wav", "Hello.\n", "b.txt"),
        ("deep/a.flac", "Hej å", "deep/a.txt"),
    ]


def test_what_has_no_partner_is_named(tmp_path: Path) -> None:
    write(tmp_path, a_wav="", b_txt="text", README_txt="about", notes_md="x")
    rows, problems = read(tmp_path)
    assert not rows
    assert [(problem.id, problem.kind) for problem in problems] == [("a", "no-transcript"), ("b", "missing")]


def test_two_recordings_of_one_text_are_both_read(tmp_path: Path) -> None:
    write(tmp_path, a_wav="", a_flac="", a_TXT="text")
    assert [row.file for row in read(tmp_path)[0]] == ["a.flac", "a.wav"]


def test_a_text_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    write(tmp_path, a_wav="", a_txt="chérie".encode("latin-1"))
    (problem,) = read(tmp_path)[1]
    assert (problem.id, problem.kind, problem.place) == ("a", "bad-encoding", "a.txt")


def test_a_text_in_utf_16_with_its_mark_is_read(tmp_path: Path) -> None:
    write(tmp_path, a_wav="", a_txt="chérie".encode("utf-16"))
    ((row,), problems) = read(tmp_path)
    assert row.text == "chérie" and not problems


def test_a_folder_called_like_a_recording_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.wav").mkdir()
    write(tmp_path, a_txt="text")
    assert [row.file for row in read(tmp_path)[0]] == ["a.wav"]


def test_hidden_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "._a.wav").touch()
    assert pairs.read(tmp_path) is None


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_links_to_folders_are_named_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, a_wav="", a_txt="text")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "everything").symlink_to("/")
    rows, problems = read(tmp_path)
    assert [row.file for row in rows] == ["a.wav"]
    assert [(problem.id, problem.severity) for problem in problems] == [("everything", "warning"), ("loop", "warning")]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes only on Linux")
def test_a_name_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    for ending in (b".wav", b".txt"):
        (tmp_path / os.fsdecode(b"ch\xe9rie" + ending)).touch()
    (problem,) = read(tmp_path)[1]
    assert problem.kind == "bad-encoding"
    assert problem.id.encode("utf-8")
