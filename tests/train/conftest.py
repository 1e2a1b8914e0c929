"""What tests of the trainer share."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from app.dataset.prepared import PreparedSet
from app.tables.quality import qualities
from app.train.fit import TrainResult, fit
from app.train.settings import TrainSettings
from app.train.watch import QuietWatch
from tests.train import synthetic

Fit = Callable[..., TrainResult]


@pytest.fixture(autouse=True)
def mini_quality(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of qualities has one more row, small enough for tests; torch keeps to one thread."""
    monkeypatch.setitem(qualities(), synthetic.MINI.name, synthetic.MINI)
    torch.set_num_threads(1)


@pytest.fixture
def prepared(tmp_path: Path) -> PreparedSet:
    return synthetic.prepared_set(tmp_path / "clips")


@pytest.fixture
def run(prepared: PreparedSet, tmp_path: Path) -> Fit:
    """Train the small voice; keywords are settings."""

    def start(**changes: object) -> TrainResult:
        watch = changes.pop("watch", QuietWatch())
        given = changes.pop("prepared", prepared)
        settings = {"out": tmp_path / "run", "device": "cpu", "threads": 1, "batch_size": 4, "max_steps": 4, **changes}
        return fit(given, TrainSettings(**settings), watch)  # type: ignore[arg-type]

    return start
