"""A folder or a file becomes texts in their order; what cannot be read is an item that says why."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.speak.batch.items import Item, read_items


def ids(items: list[Item]) -> list[str]:
    return [item.id for item in items]


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_a_folder_gives_its_texts_as_people_count(tmp_path: Path) -> None:
    for name in ("10.txt", "2.txt", "chapter 1.TXT", "Chapter 02.txt", "notes.md"):
        put(tmp_path, name, f"the text of {name}\n")
    (tmp_path / "deeper.txt").mkdir()
    put(tmp_path / "deeper.txt", "below.txt", "not read")

    items = read_items(tmp_path)

    assert ids(items) == ["2", "10", "chapter 1", "Chapter 02"]
    assert items[0].text == "the text of 2.txt\n" and items[0].name == "2" and items[0].finding is None


def test_texts_are_utf_8_or_utf_16_with_its_mark(tmp_path: Path) -> None:
    put(tmp_path, "1.txt", "Hej då".encode("utf-8-sig"))
    put(tmp_path, "2.txt", "Hej då".encode("utf-16"))
    put(tmp_path, "3.txt", "Hej då".encode("latin1"))

    first, second, third = read_items(tmp_path)

    assert first.text == second.text == "Hej då"
    assert third.finding and "not UTF-8" in third.finding.problem and "iconv" in third.finding.remedy


def test_each_line_of_a_text_file_is_one_text(tmp_path: Path) -> None:
    items = read_items(put(tmp_path, "lines.txt", "\ufeffOne.\r\n\r\n  \n Two. \n\u00e5\n".encode() + b"\xff\n4"))

    assert [(item.name, item.text, item.place) for item in items[:3]] == [
        ("0001", "One.", "lines.txt:1"), ("0002", "Two.", "lines.txt:4"), ("0003", "å", "lines.txt:5"),
    ]  # fmt: skip
    assert items[3].id == "0004" and items[3].finding and not items[3].name
    assert items[4].name == "0005"


def test_ten_thousand_lines_are_numbered_with_equal_digits(tmp_path: Path) -> None:
    items = read_items(put(tmp_path, "lines.txt", "x\n" * 10_000))

    assert (items[0].name, items[-1].name) == ("00001", "10000")


def test_a_table_gives_id_and_text(tmp_path: Path) -> None:
    items = read_items(put(tmp_path, "list.csv", "b|Second, with a comma\na.wav|First\nbad line\nc|\n"))

    assert ids(items) == ["b", "a", "bad line", "c"]
    assert items[0].text == "Second, with a comma" and items[1].name == "a"
    assert items[2].finding and items[2].finding.remedy == "write id|text on every line"


def test_a_table_may_name_speakers(tmp_path: Path) -> None:
    items = read_items(put(tmp_path, "list.csv", "id|speaker|text\n1|anna|Hello\n2|bo|Hi\n"))

    assert [(item.speaker, item.text) for item in items] == [("anna", "Hello"), ("bo", "Hi")]


def test_json_lines_give_id_and_text(tmp_path: Path) -> None:
    lines = [{"id": "a", "text": "One"}, {"id": 7, "text": "Two"}, {"text": "no id"}, {"id": "d", "text": 5}]
    items = read_items(put(tmp_path, "list.jsonl", "\n".join(map(json.dumps, lines)) + "\nnonsense\n"))

    assert [(item.id, item.text) for item in items[:2]] == [("a", "One"), ("7", "Two")]
    assert all(item.finding and item.finding.remedy.startswith('write {"id"') for item in items[2:])
    assert len(items) == 5


def test_half_a_character_is_named(tmp_path: Path) -> None:
    (item,) = read_items(put(tmp_path, "list.jsonl", '{"id": "a\\ud800", "text": "x \\ud800"}\n'))

    assert item.finding and "surrogate" in item.finding.problem
    item.id.encode()


@pytest.mark.parametrize("rows", ["a|One\na|Two\n", "A|One\na|Two\n", "x/y|One\nx_y|Two\n"])
def test_two_texts_for_one_file_are_refused_and_both_named(tmp_path: Path, rows: str) -> None:
    with pytest.raises(BadInputError, match=r"list\.csv:1.*list\.csv:2") as caught:
        read_items(put(tmp_path, "list.csv", rows))

    assert "unique id" in caught.value.remedy


def test_an_id_that_leads_out_stays_inside(tmp_path: Path) -> None:
    (item, nothing) = read_items(put(tmp_path, "list.csv", "../../escape|One\n..|Two\n"))

    assert item.name == "_._.._escape" if item.name.startswith("_.") else "/" not in item.name
    assert "/" not in item.name and nothing.finding and "not a valid file name" in nothing.finding.problem


@pytest.mark.parametrize("name", ["list.docx", "list", "list.wav"])
def test_an_unknown_kind_is_usage(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="batch = "):
        read_items(put(tmp_path, name, "x"))


def test_a_batch_that_does_not_exist_is_said_not_to_exist(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="nothere: No such file"):
        read_items(tmp_path / "nothere")


@pytest.mark.parametrize("name", ["empty.txt", "empty.csv", "empty.jsonl"])
def test_nothing_to_read_is_bad_input(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInputError, match="contains no text"):
        read_items(put(tmp_path, name, " \n\n"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInputError, match="contains no text"):
        read_items(tmp_path / "folder")
    with pytest.raises(BadInputError, match="No such file"):
        read_items(tmp_path / "nowhere.csv")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["a.txt", "a.csv", "a.tsv", "a.jsonl"]),
    data=st.binary(max_size=200) | st.text(st.sampled_from('a1|\t\n\r{"id:,tex}./\\\ud800'), max_size=80),
)
def test_any_bytes_become_items_or_one_clear_error(tmp_path: Path, name: str, data: bytes | str) -> None:
    path = put(tmp_path, name, data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    try:
        items = read_items(path)
    except BadInputError as error:
        assert error.problem and error.remedy
        return
    for item in items:
        item.id.encode()
        assert bool(item.name) == (item.finding is None)
        assert item.finding is None or (item.finding.problem and item.finding.remedy)
