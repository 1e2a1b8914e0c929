"""`voxmatrix bench`: figures of this computer, as a table, as JSON and as a picture."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.bench.cores import one_core
from voxmatrix.cli import main

pytestmark = pytest.mark.usefixtures("forked_programs")

__all__ = ["one_core"]  # a fixture

ROOT = Path(__file__).parents[2]
MATMUL = ["bench", "matmul", "--size", "16", "--runs", "1", "--device", "cpu"]
TRAIN = ["bench", "train", "--quality", "tiny", "--clip-seconds", "1", "--steps", "1", "--runs", "1", "--device", "cpu"]


def test_the_table_and_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([*MATMUL, "--picture", str(tmp_path / "new" / "b.svg")]) == 0
    shown = capsys.readouterr().out
    assert "product of two 16 × 16 matrices" in shown
    assert "GFLOP/s" in shown
    assert ElementTree.parse(tmp_path / "new" / "b.svg")


def test_json_is_one_object_with_the_row_of_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([*MATMUL, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["benchmark"] == "matmul"
    assert said["settings"] == {"size": 16, "runs": 1, "warmup": 2}
    assert [(row["device"], row["precision"], row["times_cpu"]) for row in said["rows"]] == [("cpu", "fp32", 1.0)]
    assert (said["exit_code"], said["picture"]) == (0, None)


def test_speaking_with_the_voice_that_comes_along(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["bench", "speak", "--runs", "1", "--device", "cpu", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rows"][0]["realtime_factor"] > 0
    assert said["settings"]["voice"].endswith(".onnx")


def test_training_with_a_batch_of_the_configuration_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "voxmatrix.toml").write_text("batch_size = 2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main.run([*TRAIN, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["batch_size"], row["precision"]) == (2, "fp32")
    assert row["clips_per_second"] == pytest.approx(2 * row["steps_per_second"])


def test_a_device_that_hangs_is_a_row_and_the_exit_code_where_it_was_the_only_one(
    break_children: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    break_children("fp32=hang")
    assert main.run([*MATMUL, "--limit", "6"]) == 4
    shown = capsys.readouterr().out
    assert "not measured: it did not finish within 6 s and was stopped" in shown


def test_a_picture_that_cannot_be_written_costs_no_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    place = str(tmp_path / "file" / "b.svg")
    assert main.run([*MATMUL, "--picture", place]) == 8
    shown = capsys.readouterr()
    assert "GFLOP/s" in shown.out
    assert "b.svg" in shown.err
    assert main.run([*MATMUL, "--picture", place, "--json"]) == 8
    said = json.loads(capsys.readouterr().out)
    assert said["rows"][0]["gflops"] > 0
    assert said["picture"] is None
    assert "b.svg" in said["findings"][-1]["problem"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["bench", "matmul", "--device", "cuda:99"], 4),
        (["bench", "matmul", "--device", "toaster"], 2),
        (["bench", "matmul", "--size", "0"], 2),
        (["bench", "matmul", "--picture", "b.jpg"], 2),
        (["bench", "speak", "--voice", "nowhere.onnx"], 3),
        (["bench", "train", "--quality", "huge"], 2),
        (["bench", "sing"], 2),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(words: list[str], code: int) -> None:
    assert main.run(words) == code


def test_the_command_itself_imports_no_torch() -> None:
    program = (
        "import sys; from voxmatrix.cli import main; "
        f"code = main.run({MATMUL!r}); "
        "sys.exit(code or sorted({'torch', 'lightning', 'numpy', 'matplotlib'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
