"""What children of ours do alike: a line is said at once, a hook breaks what it names."""

import json
import subprocess
import sys

import pytest

from voxmatrix.compute.child_output import asked_break, break_down, print_json


def test_a_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"started": "matmul\nand more", "count": 2})
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and json.loads(said) == {"started": "matmul\nand more", "count": 2}


@pytest.mark.parametrize(
    ("value", "asked"), [(None, ("", "")), ("", ("", "")), ("matmul", ("matmul", "")), ("a=b=c", ("a", "b=c"))]
)
def test_a_hook_names_what_breaks_and_how(
    monkeypatch: pytest.MonkeyPatch, value: str | None, asked: tuple[str, str]
) -> None:
    monkeypatch.delenv("VOXMATRIX_SOME_BREAK", raising=False)
    if value is not None:
        monkeypatch.setenv("VOXMATRIX_SOME_BREAK", value)
    assert asked_break("VOXMATRIX_SOME_BREAK") == asked


@pytest.mark.parametrize(("how", "error"), [("memory", MemoryError), ("raise", RuntimeError), ("", RuntimeError)])
def test_it_fails_as_it_is_told_and_names_the_hook(how: str, error: type[Exception]) -> None:
    with pytest.raises(error, match="broken by VOXMATRIX_SOME_BREAK"):
        break_down(how, "VOXMATRIX_SOME_BREAK")


def test_it_dies_without_a_word() -> None:
    program = "from voxmatrix.compute.child_output import break_down; break_down('die', 'X')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode != 0 and b"Traceback" not in done.stderr
