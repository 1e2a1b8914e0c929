"""What is said of recordings without texts: never to write them all, but the command that makes clips of them."""

from pathlib import Path

import pytest

from voxmatrix.dataset.find import find
from voxmatrix.errors import BadInputError


def refused(folder: Path, **files: str) -> BadInputError:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    with pytest.raises(BadInputError) as caught:
        find(folder)
    return caught.value


def phone(count: int = 24) -> dict[str, str]:
    return {f"New Recording {number}_m4a": "" for number in range(1, count + 1)}


def test_recordings_alone_are_to_be_heard(tmp_path: Path) -> None:
    error = refused(tmp_path / "phone", **phone())
    assert "24 recordings" in error.problem
    assert f"voxmatrix segment {tmp_path / 'phone'} --out {tmp_path / 'phone-clips'};" in error.remedy
    assert "--text" not in error.remedy


@pytest.mark.parametrize("script", ["script_txt", "script_md", "book_epub", "Label Track_txt"])
def test_one_text_is_what_they_read(tmp_path: Path, script: str) -> None:
    error = refused(tmp_path / "phone", **phone(), **{script: "1. One.", "README_md": "about"})
    name = script.replace("_", ".")
    assert name in error.problem
    assert "--text" in error.remedy and name in error.remedy and "README" not in error.remedy


def test_of_several_texts_one_is_to_be_chosen(tmp_path: Path) -> None:
    error = refused(tmp_path, **phone(2), a_txt="x", b_txt="y")
    assert "a.txt, b.txt" in error.problem and "--text FILE" in error.remedy


@pytest.mark.parametrize("ending", ["srt", "TextGrid", "json", "vtt", "txt"])
def test_one_long_recording_with_labels_is_cut_at_their_times(tmp_path: Path, ending: str) -> None:
    text = {
        "srt": "1\n00:00:01,000 --> 00:10:00,000\nOne.\n",
        "vtt": "WEBVTT\n\n00:01.000 --> 10:00.000\nOne.\n",
        "json": '{"segments": [{"start": 1, "end": 600, "text": "One."}]}',
        "txt": "word " * 1000,
        "TextGrid": '"ooTextFile" "TextGrid" 0 600 <exists> 1 "IntervalTier" "text" 0 600 1 0 600 "One."',
    }[ending]
    error = refused(tmp_path / "talk", talk_mp3="", **{f"talk_{ending}": text})
    assert "1 recording" in error.problem and "talk.mp3" in error.problem
    assert error.remedy.endswith(f"voxmatrix segment {tmp_path / 'talk'} --out {tmp_path / 'talk-clips'}")


def test_names_with_spaces_can_be_copied_to_a_shell(tmp_path: Path) -> None:
    assert f"'{tmp_path / 'my phone'}'" in refused(tmp_path / "my phone", a_wav="").remedy


def test_where_some_have_texts_the_others_are_named_one_by_one(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        (tmp_path / name).touch()
    (tmp_path / "a.txt").write_text("One.")
    recordings, (problem,) = find(tmp_path)
    assert [one.id for one in recordings] == ["a"]
    assert problem.kind == "no-transcript" and problem.remedy == "write the spoken text to b.txt"


def test_the_clips_of_this_folder_are_made_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "phone").mkdir()
    monkeypatch.chdir(tmp_path / "phone")
    Path("a.wav").touch()
    with pytest.raises(BadInputError) as caught:
        find(Path())
    assert caught.value.remedy.endswith(f"voxmatrix segment . --out {tmp_path / 'phone-clips'}")


@pytest.mark.parametrize("tables", [("one.csv", "two.csv"), ("plan.ods",)])
def test_tables_about_something_else_are_not_spoken_of(tmp_path: Path, tables: tuple[str, ...]) -> None:
    (tmp_path / "notes").mkdir()
    for name in tables:
        (tmp_path / "notes" / name).write_text("day,hours\n1,2\n")
    error = refused(tmp_path, **phone(), script_txt="One. Two.")
    assert "24 recordings" in error.problem and "script.txt" in error.problem
