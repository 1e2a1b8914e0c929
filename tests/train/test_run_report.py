"""The report on a run, from the files in its folder."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxmatrix.cli import main
from voxmatrix.errors import BadInputError
from voxmatrix.train.monitor.metrics import Metrics
from voxmatrix.train.report_page import report_page
from voxmatrix.train.run_report import lines, read_run, spark


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run as a training leaves it, but for its checkpoints."""
    run = tmp_path / "<b>run"
    run.mkdir()
    recipe = {"quality": "tiny", "rate_hz": 16000, "language": "en-us", "batch_size": 8, "accumulation": 1}
    (run / "run.json").write_text(json.dumps({"recipe": {**recipe, "learning_rate": 1e-3, "start_from": ""}}))
    metrics = Metrics(run / "metrics.csv", 0)
    for step in range(10, 101, 10):
        metrics.write({"step": step, "epoch": step // 10, "mel": 100 / step, "kl": 1.0})
    metrics.write({"step": 50, "epoch": 5, "validation_mel": 0.5, "words_wrong": 0.75})
    metrics.write({"step": 100, "epoch": 10, "validation_mel": 0.75, "words_wrong": 0.25})
    metrics.close()
    (run / "samples").mkdir()
    for step in range(10, 101, 10):
        soundfile.write(run / "samples" / f"step-{step:09d}.wav", np.zeros(1600, np.int16), 16000)
    return run


def test_a_report_has_the_figures_of_the_run_and_the_best_step(out: Path) -> None:
    report = read_run(out)
    assert (report.step, report.epoch, report.best) == (100, 10, (50, 0.5))
    assert report.curves["words_wrong"] == [(50, 0.75), (100, 0.25)]
    assert "adversarial" not in report.curves
    assert [step for step, _ in report.samples] == [*range(10, 101, 10)]
    said = "\n".join(lines(report))
    assert "lowest validation mel: 0.500 at step 50" in said
    assert "words wrong     █▁  0.75 to 0.25" in said


def test_a_page_has_everything_inside_and_what_comes_from_files_commands_nothing(out: Path) -> None:
    page = report_page(read_run(out))
    assert page.count("<polyline") == 4 and page.count("data:audio/flac;base64,") == 8
    assert "step 100<" in page and "step 10<" in page  # the newest and the first
    assert "<b>run" not in page and "src=" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_run_of_no_steps_yet_has_a_report_too(out: Path) -> None:
    (out / "metrics.csv").unlink()
    report = read_run(out)
    assert (report.step, report.best, report.curves) == (0, None, {})
    assert "No figures yet" in report_page(report)


def test_a_curve_in_a_line_shows_where_it_was_high_and_low() -> None:
    assert spark([0.0, 1.0]) == "▁█"
    assert spark([3.0]) == "▁"
    long = spark([float(number) for number in range(1000)])
    assert (len(long), long[0], long[-1]) == (48, "▁", "█")


def test_the_command_writes_the_page_once_and_says_what_is_no_run(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert main.run(["report", str(out), "--out", str(page)]) == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert main.run(["report", str(out), "--out", str(page)]) == 2
    assert main.run(["report", str(out), "--out", str(page), "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["best_step"] == 50
    with pytest.raises(BadInputError, match=r"no run\.json"):
        read_run(tmp_path)
