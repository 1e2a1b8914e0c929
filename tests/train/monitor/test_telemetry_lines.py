"""Lines of JSON that outlive their program."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import UnreachableError
from voxmatrix.train.monitor.telemetry import JsonLines


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, step: int, *steps: int) -> None:
    lines = JsonLines(path, step)
    for each in steps:
        lines.write({"step": each, "device": "cuda:0"})
    lines.close()


def test_every_object_is_a_line_and_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run" / "telemetry.jsonl"
    lines = JsonLines(path, 0)
    for row in ({"step": 10, "used_mib": None, "word": "å\nö\u2028"}, {"step": 20}):
        lines.write(row)
        assert json.loads(path.read_bytes().split(b"\n")[-2]) == row
    lines.close()


def test_going_on_from_a_step_drops_what_came_after_it(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    write(path, 0, 10, 20, 30)
    write(path, 20, 25)
    assert [row["step"] for row in rows(path)] == [10, 20, 25]


def test_a_line_cut_short_by_a_power_cut_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    write(path, 0, 10)
    with path.open("a") as file:
        file.write('{"step": 20, "devi')
    write(path, 100, 30)
    assert [row["step"] for row in rows(path)] == [10, 30]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"other,columns\n1,2\n",
        b"\x00\xff\xfe\n",
        b"[1]\n7\nnull\n",
        b'{"step": "10"}\n{"step": true}\n{"step": 1.0}\n{}\n',
        b"[" * 100_000 + b"\n",
        b'{"step": ' + b"9" * 10_000 + b"}\n",
        b'{"step": 200}\n',
    ],
)
def test_what_is_no_line_of_ours_is_dropped(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "telemetry.jsonl"
    path.write_bytes(content)
    write(path, 100, 7)
    assert [row["step"] for row in rows(path)] == [7]


@given(content=st.binary(max_size=300), cut=st.integers(0, 60))
def test_after_any_cut_and_any_rubbish_every_line_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, cut: int
) -> None:
    path = tmp_path_factory.mktemp("run") / "telemetry.jsonl"
    write(path, 0, 1, 2, 3)
    path.write_bytes(path.read_bytes()[: max(0, 99 - cut)] + content)
    write(path, 100, 4)
    steps = [row["step"] for row in map(json.loads, path.read_text(encoding="utf-8").split("\n")[:-1])]
    assert steps[-1] == 4


def test_numbers_that_json_does_not_know_are_not_written(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "telemetry.jsonl", 0)
    with pytest.raises(ValueError, match="JSON"):
        lines.write({"step": 1, "utilisation": float("nan")})
    lines.close()
    assert (tmp_path / "telemetry.jsonl").read_bytes() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_said_and_closing_does_not_say_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = JsonLines(tmp_path / "telemetry.jsonl", 0)
    lines.close()
    monkeypatch.setattr(lines, "_file", Path("/dev/full").open("ab", buffering=0))  # noqa: SIM115
    with pytest.raises(UnreachableError, match=r"telemetry\.jsonl: No space left") as caught:
        lines.write({"step": 1})
    assert "free some space" in caught.value.remedy
    lines.close()


def test_a_disk_that_takes_a_part_at_a_time_gets_the_whole_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reluctant:
        def __init__(self) -> None:
            self.taken = b""

        def write(self, data: memoryview) -> int:
            self.taken += bytes(data[:3])
            return min(3, len(data))

    lines, reluctant = JsonLines(tmp_path / "telemetry.jsonl", 0), Reluctant()
    lines.close()
    monkeypatch.setattr(lines, "_file", reluctant)
    lines.write({"step": 12345})
    assert reluctant.taken == b'{"step": 12345}\n'
