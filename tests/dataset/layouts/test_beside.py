import json
import os
from pathlib import Path

import pytest

from tests.transcripts.test_textgrid import SENTENCES, long_form
from voxmatrix.dataset.layouts.beside import text_beside
from voxmatrix.transcripts.lines import Problem, TranscriptRow

SRT = "1\n00:00:00,000 --> 00:00:02,000\nOne day.\n\n2\n00:00:02,000 --> {end}\nTwo.\n"


def found(tmp_path: Path, **texts: str | bytes) -> TranscriptRow | Problem:
    for suffix, text in texts.items():
        (tmp_path / f"a.{suffix}").write_bytes(text if isinstance(text, bytes) else text.encode())
    return text_beside(tmp_path, str(tmp_path), "a.wav", {f".{suffix.lower()}": f"a.{suffix}" for suffix in texts})


@pytest.mark.parametrize(
    "texts",
    [
        {"txt": "One day. Two."},
        {"lab": "One day. Two."},
        {"srt": SRT.format(end="00:00:04,000")},
        {"vtt": "WEBVTT\n\n00:00.000 --> 00:04.000\nOne day. Two.\n"},
        {"json": json.dumps({"segments": [{"start": 0, "end": 4, "text": " One day. Two."}]})},
        {"TextGrid": long_form(("text", [(0, 4, "One day. Two.")]))},
        {"txt": "0.0\t2.0\tOne day.\n2.0\t4.0\tTwo.\n"},
        {"lab": "One day. Two.", "TextGrid": long_form(("words", [(0, 4, "one day two")]))},
    ],
)
def test_the_text_of_a_short_recording_is_read_from_any_file(tmp_path: Path, texts: dict[str, str]) -> None:
    row = found(tmp_path, **texts)
    assert isinstance(row, TranscriptRow)
    assert (row.file, row.text) == ("a.wav", "One day. Two.")


@pytest.mark.parametrize(
    "texts",
    [
        {"srt": SRT.format(end="00:10:00,000")},
        {"txt": "All of it.", "srt": SRT.format(end="00:10:00,000")},
        {"txt": "word " * 200},
    ],
)
def test_what_is_longer_than_a_clip_is_to_be_cut(tmp_path: Path, texts: dict[str, str]) -> None:
    problem = found(tmp_path, **texts)
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.id) == (
        "too-long",
        "a",
    ) and f"voxmatrix segment {tmp_path / 'a.wav'} --text" in problem.remedy


@pytest.mark.parametrize(
    ("texts", "kind", "said"),
    [
        ({"json": '{"emotion": "glad"}'}, "no-transcript", "has no text"),
        ({"TextGrid": long_form(SENTENCES)[:-60]}, "bad-line", "ends too early"),
        ({"lab": "0 3500000 sil\n3500000 4200000 ah\n"}, "bad-line", "HTK"),
        ({"txt": "chérie".encode("latin-1")}, "bad-encoding", "not UTF-8"),
    ],
)
def test_what_is_no_text_is_named(tmp_path: Path, texts: dict[str, str], kind: str, said: str) -> None:
    problem = found(tmp_path, **texts)
    assert isinstance(problem, Problem)
    assert problem.kind == kind and said in problem.problem


def test_a_text_without_times_counts_where_labels_are_damaged(tmp_path: Path) -> None:
    row = found(tmp_path, txt="One day.", TextGrid="nothing")
    assert isinstance(row, TranscriptRow) and row.text == "One day."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_nobody_waits_for_the_text_of_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    problem = text_beside(tmp_path, str(tmp_path), "a.wav", {".txt": "a.txt"})
    assert isinstance(problem, Problem) and (problem.kind, problem.problem) == ("unreadable", "a.txt is no file")
