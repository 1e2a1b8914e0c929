import sys
from pathlib import Path

import pytest

from voxmatrix.dataset.find import find
from voxmatrix.dataset.layouts import below


def put(path: Path, content: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def test_a_data_set_of_hugging_face_from_its_root(tmp_path: Path) -> None:
    for part in ("train", "test"):
        put(tmp_path / "data" / part / f"{part}.flac")
    put(tmp_path / "data/train/metadata.csv", "file_name,transcription\ntrain.flac,One.\n")
    put(tmp_path / "data/test/metadata.jsonl", '{"file_name": "test.flac", "transcription": "Two."}')
    recordings, problems = find(tmp_path)
    assert not problems
    assert [(one.id, one.text, one.line) for one in recordings] == [
        ("data/test/test", "Two.", "data/test/metadata.jsonl:1"),
        ("data/train/train", "One.", "data/train/metadata.csv:2"),
    ]


def test_the_books_of_m_ailabs_and_who_reads_them(tmp_path: Path) -> None:
    for reader, book in (("anna", "emma"), ("anna", "oz"), ("bob", "oz")):
        folder = tmp_path / "de_DE" / "by_book" / ("male" if reader == "bob" else "female") / reader / book
        put(folder / "wavs" / "x_01.wav")
        put(folder / "metadata.csv", f"x_01|{book}!|{book}.")
    for root in (tmp_path, tmp_path / "de_DE" / "by_book" / "female"):
        found = find(root)
        assert not found[1]
        assert {(one.path.parent.parent.name, one.text, one.speaker) for one in found[0]} >= {
            ("emma", "emma.", "anna"),
            ("oz", "oz.", "anna"),
        }
    assert {one.speaker for one in find(tmp_path)[0]} == {"anna", "bob"}


def test_a_list_beside_the_folder_of_its_recordings(tmp_path: Path) -> None:
    put(tmp_path / "slicer_opt" / "a.wav")
    put(tmp_path / "asr_opt" / "slicer_opt.list", "output/slicer_opt/a.wav|slicer_opt|EN|Hello you.")
    ((one,), problems) = find(tmp_path)
    assert (one.id, one.text, problems) == ("slicer_opt/a", "Hello you.", [])


def test_recordings_that_no_table_names_are_told(tmp_path: Path) -> None:
    put(tmp_path / "train" / "a.wav")
    put(tmp_path / "train" / "metadata.csv", "a|One.\n../../b.wav|Two.\n/etc/passwd|Three.")
    put(tmp_path / "c.wav")
    recordings, problems = find(tmp_path)
    assert [one.id for one in recordings] == ["train/a"]
    assert sorted((one.path, one.kind) for one in problems) == [
        ("../b.wav", "outside"),
        ("/etc/passwd", "outside"),
        ("c.wav", "no-transcript"),
    ]


def test_a_table_may_name_recordings_of_the_folder_beside_it(tmp_path: Path) -> None:
    put(tmp_path / "wavs" / "a.wav")
    put(tmp_path / "texts" / "metadata.csv", "../wavs/a.wav|One.")
    assert [(one.path, one.text) for one in find(tmp_path)[0]] == [(tmp_path / "wavs" / "a.wav", "One.")]


def test_without_a_table_below_there_is_nothing(tmp_path: Path) -> None:
    put(tmp_path / "a" / "b.wav")
    put(tmp_path / "metadata.csv", "b|not below")
    assert below.read(tmp_path) is None


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_links_that_form_cycles_are_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "train" / "a.wav")
    put(tmp_path / "train" / "metadata.csv", "a|One.")
    (tmp_path / "train" / "again").symlink_to("..")
    assert len(find(tmp_path)[0]) == 1
