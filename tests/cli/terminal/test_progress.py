"""Progress, with what is shown beside it."""

import json

import pytest

from voxmatrix.cli.terminal import progress as module
from voxmatrix.cli.terminal.progress import progress


def test_lines_show_the_time_left_and_the_note_until_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PLAIN_SECONDS", 0.0)
    with progress("speak", "texts", note=lambda: "GPU 93 %") as on_progress:
        on_progress(0, 2)
        on_progress(1, 2)
        on_progress(2, 2)
    begun, first, last = capsys.readouterr().err.splitlines()
    assert begun == "texts: 0/2  GPU 93 %"  # nobody knows how long it takes
    assert first.startswith("texts: 1/2, ") and first.endswith("s left  GPU 93 %")
    assert last == "texts: 2/2"


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("speak", "texts", quiet=True, note=lambda: "GPU 93 %") as on_progress:
        on_progress(2, 2)
    assert capsys.readouterr().err == ""


def test_what_an_earlier_command_has_done_took_no_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter((0.0, 10.0))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(moments))
    with progress("learn", "steps", begun=90) as on_progress:
        on_progress(92, 100)
    assert capsys.readouterr().err == "steps: 92/100, 40 s left\n"


def test_lines_for_programs_have_a_key_beside_the_words_for_people(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_JSON_SECONDS", 0.0)
    with progress("join", "joining chapters", as_json=True) as on_progress:
        on_progress(0, 2)
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line["progress"] == {"key": "join", "work": "joining chapters", "done": 0, "total": 2, "seconds_left": None}
