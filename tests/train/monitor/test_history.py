"""What a run has written down."""

from pathlib import Path

from voxmatrix.train.monitor.history import COLUMNS, curve, last_speed, read_rows
from voxmatrix.train.monitor.metrics import Metrics


def test_curves_have_the_steps_at_which_there_is_a_figure(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path / "metrics.csv", 0)
    metrics.write({"step": 10, "mel": 1.5, "steps_per_second": 2.0})
    metrics.write({"step": 10, "validation_mel": 1.25})
    metrics.write({"step": 20, "mel": 1.0, "steps_per_second": 3.0})
    metrics.close()
    rows = read_rows(tmp_path / "metrics.csv")
    assert curve(rows, "mel") == [(10, 1.5), (20, 1.0)]
    assert curve(rows, "validation_mel") == [(10, 1.25)]
    assert curve(rows, "words_wrong") == []
    assert last_speed(tmp_path / "metrics.csv") == 3.0


def test_a_file_of_an_earlier_version_goes_on_with_the_columns_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text("step,epoch,mel,validation_mel\n10,0,1.5,\n20,0,1.25,1.5\n")
    Metrics(path, 10).close()
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)
    assert curve(read_rows(path), "mel") == [(10, 1.5)]
