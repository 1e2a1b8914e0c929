import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.transcripts.json_lines import read_json_lines


@pytest.mark.parametrize("name", ["audio", "file", "audio_filepath", "file_name", "path"])
@pytest.mark.parametrize("said", ["text", "transcript", "sentence"])
def test_the_names_that_others_use_are_known(name: str, said: str) -> None:
    rows, problems = read_json_lines(json.dumps({name: "a.wav", said: "Hej å"}).encode(), "m.jsonl")
    assert not problems
    assert (rows[0].file, rows[0].text, rows[0].speaker, rows[0].line) == ("a.wav", "Hej å", None, "m.jsonl:1")


def test_speakers_may_be_numbers_and_sounds_objects() -> None:
    line = json.dumps({"audio": {"path": "a.wav", "bytes": None}, "text": "x", "speaker_id": 0})
    rows, _ = read_json_lines(line.encode(), "m.jsonl")
    assert (rows[0].file, rows[0].speaker) == ("a.wav", "0")


def test_an_id_may_be_a_number() -> None:
    rows, problems = read_json_lines(b'{"id": 7, "text": "x"}\n{"id": true, "text": "y"}', "m.jsonl")
    assert [row.file for row in rows] == ["7"] and [problem.place for problem in problems] == ["m.jsonl:2"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[1, 2]", "not an object"),
        ("null", "not an object"),
        ('{"text": "x"}', "names no file"),
        ('{"audio": 5, "text": "x"}', "names no file"),
        ('{"audio": "  ", "text": "x"}', "names no file"),
        ('{"audio": "a", "text": ["x"]}', "not a string"),
        ('{"audio": "a", "text": "x", "speaker": {}}', "not a name"),
        ('{"audio": "a", "text": "x", "offset": 1.5}', "offset"),
        ("[" * 100_000, "not JSON"),
        ('{"audio": "a", "n": ' + "1" * 5000 + "}", "not JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(line: str, said: str) -> None:
    good = '{"audio": "b.wav", "text": "y"}'
    rows, problems = read_json_lines(f"{line}\n{good}\n".encode(), "m.jsonl")
    assert [row.file for row in rows] == ["b.wav"]
    assert [(problem.kind, problem.place) for problem in problems] == [("bad-line", "m.jsonl:1")]
    assert said in problems[0].problem


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["audio", "text", "speaker", "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.lists(_JSON, max_size=5))
def test_any_json_becomes_rows_or_problems(values: list[object]) -> None:
    data = "\n".join(json.dumps(value) for value in values).encode()
    rows, problems = read_json_lines(data, "m.jsonl")
    assert len(rows) + len(problems) == len(values)
    assert all(isinstance(row.text, str) and row.file for row in rows)


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    read_json_lines(data, "m.jsonl")
