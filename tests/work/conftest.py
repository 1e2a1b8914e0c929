"""Jobs with workers that cost nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401 (fixtures)
from tests.toys.family import voice_of
from tests.work import openings
from voxmatrix.models.style import Runtime, Style
from voxmatrix.work.job import JobOutcome, run_job
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.local_executor import LocalExecutor
from voxmatrix.work.unit import Unit, unit_of

RunJob = Callable[..., JobOutcome]


@pytest.fixture
def units() -> list[Unit]:
    """Thirty different sentences."""
    return [unit_of(f"Sentence number {number}.", "voice", Style()) for number in range(30)]


@pytest.fixture
def run(tmp_path: Path) -> RunJob:
    """Runs a job in the folder `job` with two processes."""
    voice = voice_of(tmp_path / "voice.tones")

    def run(units: Sequence[Unit], *, workers: int = 2, opening: Any = openings.free, **more: Any) -> JobOutcome:
        with (
            open_ledger(tmp_path / "job") as ledger,
            LocalExecutor(voice, Style(), ledger.incoming, Runtime(), workers=workers, opening=opening) as executor,
        ):
            return run_job(ledger, units, executor, **more)

    return run
