"""`voxmatrix export`: a wrong argument is reported at once."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nope", "--out", "x.onnx"], 3, "there is no checkpoint and no run nope"),
        (["run", "--out", "x.txt"], 2, "--out x.onnx"),
        (["run", "--out", "x.onnx", "--noise", "99"], 2, "--noise is 99"),
        (["run", "--out", "x", "--for", "alexa"], 3, "there is no voice run"),
        (["en_US-heart-student", "--out", "x", "--for", "alexa"], 2, "choose one of: piper, homeassistant, sherpa"),
        (["en_US-heart-student", "--out", "x", "--for", "piper", "--noise", "99"], 2, "--noise is 99"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_reported_before_torch_is_imported(
    words: list[str], code: int, said: str, tmp_path: Path
) -> None:
    program = (
        "import sys; from voxmatrix.cli import main\n"
        "print(main.run(['export', 'voice', *sys.argv[1:]]), 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(code), "False"] and said in done.stderr
