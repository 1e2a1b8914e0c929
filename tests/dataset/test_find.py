import json
from pathlib import Path

import pytest

from voxmatrix.dataset.find import find
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.transcripts.lines import readable


def sounds(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()
    return folder


def test_a_table_is_read_before_everything_else(tmp_path: Path) -> None:
    sounds(tmp_path / "wavs", "a.wav")
    sounds(tmp_path, "b.wav", "b.txt", "c.jsonl")
    (tmp_path / "metadata.csv").write_text("a|Hello.\n")
    (one,), problems = find(tmp_path)
    assert not problems
    assert (one.id, one.path, one.text, one.speaker, one.line) == (
        "a",
        tmp_path / "wavs" / "a.wav",
        "Hello.",
        None,
        "metadata.csv:1",
    )


def test_json_lines_of_several_files_are_read_together(tmp_path: Path) -> None:
    sounds(tmp_path, "a.wav", "b.wav")
    (tmp_path / "train.jsonl").write_text(json.dumps({"audio": "a.wav", "text": "x", "speaker": "s"}))
    (tmp_path / "dev.jsonl").write_text(json.dumps({"audio": "b.wav", "text": "y", "speaker": "s"}))
    assert [(one.id, one.speaker, one.line) for one in find(tmp_path)[0]] == [
        ("b", "s", "dev.jsonl:1"),
        ("a", "s", "train.jsonl:1"),
    ]


def test_pairs_are_read_where_there_is_no_list(tmp_path: Path) -> None:
    sounds(tmp_path, "a.wav")
    (tmp_path / "a.txt").write_text("  Two\nlines \n")
    assert [(one.id, one.text) for one in find(tmp_path)[0]] == [("a", "Two lines")]


@pytest.mark.parametrize("name", ["metadata.csv", "a.jsonl"])
def test_an_empty_table_hides_no_pairs(tmp_path: Path, name: str) -> None:
    sounds(tmp_path, "a.wav", name)
    (tmp_path / "a.txt").write_text("One.")
    assert [one.text for one in find(tmp_path)[0]] == ["One."]


@pytest.mark.parametrize("name", ["metadata.txt", "transcript.csv", "validated.tsv", "esd.list"])
def test_the_only_table_is_read_whatever_its_name(tmp_path: Path, name: str) -> None:
    sounds(tmp_path / "wavs", "a.wav")
    (tmp_path / name).write_text("a|Hello.")
    for place in (tmp_path, tmp_path / name):
        assert [(one.id, one.text) for one in find(place)[0]] == [("a", "Hello.")]


def test_of_several_tables_the_largest_is_proposed(tmp_path: Path) -> None:
    sounds(tmp_path, "a.wav")
    (tmp_path / "all.csv").write_text("a|Hello.\n" * 3)
    (tmp_path / "few.csv").write_text("a|Hello.")
    with pytest.raises(BadInputError, match=r"all\.csv, few\.csv") as caught:
        find(tmp_path)
    assert str(tmp_path / "all.csv") in caught.value.remedy


def test_the_transcript_itself_may_be_named(tmp_path: Path) -> None:
    sounds(tmp_path, "a.wav")
    (tmp_path / "some.txt").write_text("a|Hello.")
    (tmp_path / "some.json").write_text('{"audio": "a", "text": "Hi."}')
    assert find(tmp_path / "some.txt")[0][0].text == "Hello."
    assert find(tmp_path / "some.json")[0][0].text == "Hi."


def test_a_profile_and_a_prompt_list_choose_the_folder(tmp_path: Path) -> None:
    folder = sounds(tmp_path / "anna" / "short", "a.wav")
    (folder / "a.txt").write_text("Hello.")
    assert find(tmp_path, "anna", "short")[0][0].id == "a"
    assert find(tmp_path, "anna")[0][0].id == "short/a"


def test_a_wrong_profile_names_those_that_are_there(tmp_path: Path) -> None:
    sounds(tmp_path / "anna" / "short")
    with pytest.raises(BadInputError, match="is not a folder") as caught:
        find(tmp_path, "bob", "short")
    assert "anna" in caught.value.remedy
    with pytest.raises(BadInputError) as caught:
        find(tmp_path, "anna", "long")
    assert "short" in caught.value.remedy


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "/etc", "a\\b", "a\0"])
def test_a_profile_never_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        find(tmp_path, name)


def test_a_prompt_list_needs_a_profile(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="profile"):
        find(tmp_path, None, "short")
    (tmp_path / "m.csv").touch()
    with pytest.raises(UsageError, match="no profiles"):
        find(tmp_path / "m.csv", "anna")


def test_a_folder_that_is_missing_or_holds_nothing_is_an_error_that_says_what_to_put_there(tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(BadInputError) as caught:
            find(folder)
        assert "metadata.csv" in caught.value.remedy


def test_everything_wrong_with_a_line_is_told_at_once(tmp_path: Path) -> None:
    sounds(tmp_path, "a.wav", "b.flac")
    (tmp_path / "metadata.csv").write_bytes(b"a|x\nb.wav|y\n../c|z\nd|w\nnone\na|t\x00\n")
    recordings, problems = find(tmp_path)
    assert [one.id for one in recordings] == ["a"]
    assert sorted((problem.id, problem.kind) for problem in problems) == [
        ("../c", "outside"),
        ("a", "bad-line"),
        ("b", "missing"),
        ("d", "missing"),
        ("none", "bad-line"),
    ]
    assert "b.flac" in next(problem.remedy for problem in problems if problem.id == "b")


def test_half_characters_of_json_are_named_in_whole_ones(tmp_path: Path) -> None:
    sounds(tmp_path, "a.wav")
    (tmp_path / "m.jsonl").write_text('{"audio": "a.wav", "text": "\\ud83d"}\n{"audio": "\\udc80", "text": "x"}')
    recordings, problems = find(tmp_path)
    assert not recordings
    assert [problem.kind for problem in problems] == ["bad-encoding"] * 2
    assert all(readable(problem.id) == problem.id for problem in problems)


def test_control_characters_become_spaces_and_are_named(tmp_path: Path) -> None:
    sounds(tmp_path, "a.wav")
    (tmp_path / "metadata.csv").write_bytes(b"a|Hello\x07there\x1b.")
    (one,), (problem,) = find(tmp_path)
    assert one.text == "Hello there ."
    assert (problem.kind, problem.severity) == ("control-characters", "warning")


@pytest.mark.parametrize("name", ["list.txt", "list.csv", "list.jsonl"])
@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_list_without_recordings_says_so(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInputError, match="names no recording"):
        find(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("talk.srt", "00:01.000 --> 00:02.000\nOne.\n"),
        ("talk.json", '{"segments": [{"start": 0, "end": 1, "text": "One."}]}'),
        ("Label Track.txt", "0.0\t1.0\tOne.\n"),
    ],
)
def test_labels_are_no_list_of_recordings(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInputError, match="by times") as caught:
        find(tmp_path / name)
    assert "voxmatrix segment RECORDING --text" in caught.value.remedy
