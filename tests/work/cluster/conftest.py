"""A real Redis server, and real workers as processes."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.work.cluster.processes import TONE_WORKER, ClusterWorker, RedisServer, wait_until
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.work.unit import Unit, unit_of, voice_digest


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    yield server
    server.close()


@pytest.fixture
def start_worker(tmp_path: Path) -> Iterator[Callable[..., ClusterWorker]]:
    """Start a worker: `start_worker(url, "a", seconds=0.1)` one with tones, `command=[…]` any other."""
    started: list[ClusterWorker] = []

    def start(
        url: str,
        name: str,
        *options: str,
        seconds: float = 0.02,
        command: list[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> ClusterWorker:
        words = command or [str(TONE_WORKER), url, name, str(seconds), *options]
        log = tmp_path / f"worker-{len(started)}-{name}.log"
        started.append(ClusterWorker(words, url, name, log, environment or {}))
        wait_until(started[-1].ready)
        return started[-1]

    yield start
    for worker in started:
        worker.close()


@pytest.fixture
def voice(tmp_path: Path) -> Path:
    """Files that travel like those of a voice."""
    path = tmp_path / "anna.onnx"
    path.write_bytes(b"weights" * 1000)
    path.with_name("anna.onnx.json").write_text("{}")
    return path


@pytest.fixture
def sentences(voice: Path) -> Callable[..., list[Unit]]:
    """Makes different sentences for that voice."""
    digest = voice_digest(voice)

    def make(count: int, text: str = "") -> list[Unit]:
        text = text or "A sentence that has some words, and the number"
        return [unit_of(f"{text} {number}", digest, SpeakSettings()) for number in range(count)]

    return make
