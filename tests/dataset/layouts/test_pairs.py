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


def test_vctk_has_texts_in_a_folder_of_their_own_and_speakers(tmp_path: Path) -> None:
    for speaker in ("p225", "p226"):
        for microphone in (1, 2):
            (tmp_path / "wav48_silence_trimmed" / speaker).mkdir(parents=True, exist_ok=True)
            (tmp_path / "wav48_silence_trimmed" / speaker / f"{speaker}_001_mic{microphone}.flac").touch()
        (tmp_path / "txt" / speaker).mkdir(parents=True)
        (tmp_path / "txt" / speaker / f"{speaker}_001.txt").write_text(f"I am {speaker}.")
    rows, problems = read(tmp_path)
    assert not problems
    assert [(row.file, row.text, row.speaker) for row in rows] == [
        (f"wav48_silence_trimmed/{one}/{one}_001_mic1.flac", f"I am {one}.", one) for one in ("p225", "p226")
    ]


def test_texts_and_recordings_in_two_folders_are_pairs(tmp_path: Path) -> None:
    write(tmp_path, audio__one__a_wav="", text__one__a_txt="One.", audio__b_wav="", text__b_lab="Two.", other__c_wav="")
    rows, problems = read(tmp_path)
    assert [(row.file, row.text, row.speaker) for row in rows] == [
        ("audio/b.wav", "Two.", None),
        ("audio/one/a.wav", "One.", None),
    ]
    assert [(problem.id, problem.kind) for problem in problems] == [("other/c", "no-transcript")]


def test_a_recording_is_not_paired_with_the_text_of_another_folder(tmp_path: Path) -> None:
    write(tmp_path, one__a_wav="", two__a_txt="Of another.")
    rows, problems = read(tmp_path)
    assert not rows
    assert [(problem.id, problem.kind) for problem in problems] == [("one/a", "no-transcript"), ("two/a", "missing")]
