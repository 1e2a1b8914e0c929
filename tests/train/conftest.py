"""What tests of the trainer share."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.train import synthetic
from tests.train.asking import HERE, preflight, settings
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.tables.quality import qualities
from voxmatrix.tables.training import memory_table
from voxmatrix.train.fit import TrainResult, fit
from voxmatrix.train.monitor.progress import QuietProgress

Fit = Callable[..., TrainResult]


@pytest.fixture(autouse=True)
def mini_quality(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of qualities has one more row, small enough for tests; torch keeps to one thread."""
    monkeypatch.setitem(memory_table().qualities, synthetic.MINI.name, memory_table().qualities["tiny"])
    monkeypatch.setitem(qualities(), synthetic.MINI.name, synthetic.MINI)
    torch.set_num_threads(1)


@pytest.fixture
def prepared(tmp_path: Path) -> PreparedSet:
    return synthetic.prepared_set(tmp_path / "clips")


@pytest.fixture
def run(prepared: PreparedSet, tmp_path: Path) -> Fit:
    """Train the small voice; keywords are settings."""

    def start(**changes: object) -> TrainResult:
        progress = changes.pop("progress", QuietProgress())
        given = changes.pop("prepared", prepared)
        machine = changes.pop("machine", HERE)
        asked = {"out": tmp_path / "run", "threads": 1, "batch_size": 4, "accumulation": 1, "max_steps": 4, **changes}
        return fit(given, settings(**asked), progress, preflight=preflight(machine, **asked))  # type: ignore[arg-type]

    return start
