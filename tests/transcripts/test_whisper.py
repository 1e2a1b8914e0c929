import json

import pytest

from voxmatrix.transcripts.label import Label
from voxmatrix.transcripts.whisper import read_whisper

WANTED = [Label(0.0, 1.5, " One."), Label(1.5, 3.0, " Two.")]


@pytest.mark.parametrize(
    "found",
    [
        {
            "text": "One. Two.",
            "segments": [
                {"id": n, "start": a, "end": b, "text": t}
                for n, (a, b, t) in enumerate([(0.0, 1.5, " One."), (1.5, 3, " Two.")])
            ],
        },
        [{"start": 0, "end": 1.5, "text": " One."}, {"start": 1.5, "end": 3, "text": " Two."}],
        {
            "transcription": [
                {"offsets": {"from": 0, "to": 1500}, "text": " One."},
                {"offsets": {"from": 1500, "to": 3000}, "text": " Two."},
            ]
        },
        {"chunks": [{"timestamp": [0, 1.5], "text": " One."}, {"timestamp": [1.5, 3.0], "text": " Two."}]},
    ],
    ids=["openai", "list", "cpp", "transformers"],
)
def test_the_json_of_each_program_is_read(found: object) -> None:
    assert read_whisper(json.dumps(found)) == WANTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[" * 100_000,
        "7",
        "[]",
        '{"segments": 5}',
        '{"segments": [7]}',
        '{"audio": "a.wav", "text": "x"}',
        '{"segments": [{"start": "0", "end": 1, "text": "x"}]}',
        '{"chunks": [{"timestamp": [0, null], "text": "x"}]}',
        '{"segments": [{"start": true, "end": 1, "text": "x"}]}',
        '{"segments": [{"start": 0, "end": 1, "text": 7}]}',
    ],
)
def test_other_json_is_none(text: str) -> None:
    assert read_whisper(text) is None


def test_a_number_beyond_all_is_no_time() -> None:
    assert read_whisper('{"segments": [{"start": 0, "end": 1' + "0" * 400 + ', "text": "x"}]}') is None
    assert read_whisper('{"segments": [{"start": NaN, "end": Infinity, "text": "x"}]}') is None
