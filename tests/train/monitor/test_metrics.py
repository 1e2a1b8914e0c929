"""metrics.csv, TensorBoard's files."""

import csv
import errno
import io
from pathlib import Path

import numpy as np
import pytest
import torch

from voxmatrix.errors import UnreachableError
from voxmatrix.train.monitor.history import COLUMNS
from voxmatrix.train.monitor.metrics import Metrics, TensorBoard


def rows(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_a_new_file_begins_with_the_names_of_its_columns(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path / "metrics.csv", 0)
    metrics.write({"step": 10, "epoch": 1, "mel": 0.123456789})
    metrics.close()
    assert rows(tmp_path / "metrics.csv")[0] == ",".join(COLUMNS)
    assert rows(tmp_path / "metrics.csv")[1].startswith("10,1,,0.123457,")


def test_going_on_from_a_step_drops_what_came_after_it(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    metrics = Metrics(path, 0)
    for step in (10, 20, 30):
        metrics.write({"step": step})
    metrics.close()
    metrics = Metrics(path, 20)
    metrics.write({"step": 25})
    metrics.close()
    assert [row.split(",")[0] for row in rows(path)[1:]] == ["10", "20", "25"]


def test_a_row_cut_short_by_a_power_cut_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    Metrics(path, 0).close()
    with path.open("a") as file:
        file.write("10" + "," * (len(COLUMNS) - 1) + "\n20,3")
    Metrics(path, 100).close()
    assert len(rows(path)) == 2


@pytest.mark.parametrize("content", ["", "other,columns\n1,2\n", "\x00\xff", ",".join(COLUMNS) + "\nten,\n"])
def test_a_file_that_is_something_else_is_begun_anew(tmp_path: Path, content: str) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text(content)
    Metrics(path, 100).close()
    assert rows(path) == [",".join(COLUMNS)]


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    metrics = Metrics(tmp_path / "metrics.csv", 0)
    metrics.close()
    monkeypatch.setattr(metrics, "_file", Full())
    monkeypatch.setattr(metrics, "_writer", csv.DictWriter(Full(), COLUMNS))
    with pytest.raises(UnreachableError, match=r"metrics\.csv"):
        metrics.write({"step": 1})


def test_curves_sounds_and_pictures_reach_tensorboard(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    board = TensorBoard(tmp_path, 0)
    board.numbers({"step": 5, "mel": 1.5}, 5)
    board.sound("spoken", torch.zeros(1600), 16000, 5)
    board.picture("mel", np.zeros((4, 4, 3), dtype=np.uint8), 5)
    board.close()
    seen = EventAccumulator(str(tmp_path)).Reload().Tags()
    assert (seen["scalars"], seen["audio"], seen["images"]) == (["mel"], ["spoken"], ["mel"])
