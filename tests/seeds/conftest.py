"""Command lines typed as a person types them, on a described computer, with what takes long replaced by a recorder."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.config import LOG_VARIABLE
from voxmatrix_entrypoint import check, launch, patches

MACHINES = Path(__file__).parents[1] / "machines"
OLDER = (
    "USE_GPU", "GPU_ID", "VIBEVOICE_DEVICE", "VIBEVOICE_PORT", "VIBEVOICE_MODEL", "DIRECTML_DEVICE", "WORKER_ID",
    "REDIS_URL", "REDIS_PASSWORD", "COORDINATOR_IP", "NUM_WORKERS", "TORCH_VERSION", "CUDA_VISIBLE_DEVICES",
    "VOXMATRIX_DEVICE", "VOXMATRIX_GPU", LOG_VARIABLE,
)  # fmt: skip
#: Types a command, and returns what it said on standard output and errors, if its exit code is the one expected.
Type = Callable[..., str]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, without variables of the person who runs the tests; what a command sets is set back."""
    monkeypatch.chdir(tmp_path)
    for name in OLDER:
        monkeypatch.setenv(name, "")  # so that it is set back also where the command itself sets it
        monkeypatch.delenv(name)


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let this computer be the described one of that name."""
    return lambda name: monkeypatch.setenv("VOXMATRIX_MACHINE", str(MACHINES / f"{name}.json"))


def told(said: str) -> Any:
    """The JSON that a command printed; warnings follow it."""
    return json.JSONDecoder().raw_decode(said)[0]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Type:
    def run(*words: str, expect: int = 0) -> str:
        code = launch.cli.run(words, first=patches.install, check=check.check)
        captured = capsys.readouterr()
        said = captured.out + captured.err
        assert code == expect, said
        return said

    return run


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings of each server that would have been started."""
    from voxmatrix.serve import server

    found: list[Any] = []

    class Recorder:
        def __init__(self, settings: Any, _log: object) -> None:
            found.append(settings)

        def run(self, _on_url: object) -> None:
            """It would answer until Ctrl-C."""

    monkeypatch.setattr(server, "HttpServer", Recorder)
    return found


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """The recordings and settings of each training that would have begun."""
    from voxmatrix.train import fit
    from voxmatrix.train.fit import TrainResult

    found: list[tuple[Any, Any]] = []

    def record(prepared: Any, settings: Any, *_: object, **__: object) -> TrainResult:
        found.append((prepared, settings))
        out = settings.out
        return TrainResult(
            out=out, last=out / "last.ckpt", best=out / "best.ckpt", steps=1, losses={}, validation_mel=1.0
        )

    monkeypatch.setattr(sys.modules[fit.__name__], "fit", record)
    return found


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings of each worker that would have been started."""
    pytest.importorskip("celery", reason="celery is not installed")
    from voxmatrix.cli import worker
    from voxmatrix.work.cluster.worker import supervise

    found: list[Any] = []
    monkeypatch.setattr(worker, "_check_cluster", lambda *_: None)
    monkeypatch.setattr(supervise, "run_workers", found.extend)
    return found
