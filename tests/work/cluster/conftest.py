"""A real Redis server, and real workers as processes."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.toys.family import ENVIRONMENT, added
from tests.toys.tones import SECONDS_VARIABLE
from tests.work.cluster.jobs import some_sentences, write_voice
from tests.work.cluster.processes import TONE_WORKER, ClusterWorker, RedisServer, wait_until
from voxmatrix.models.card import VoiceCard
from voxmatrix.work.unit import Unit


@pytest.fixture(autouse=True)
def _tones() -> Iterator[None]:
    """The workers of these tests speak in tones, unless they are sent another voice."""
    with added():
        yield


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
        *,
        seconds: float = 0.02,
        store: str = "",
        damage: str = "",
        command: list[str] | None = None,
        environment: Mapping[str, str] | None = None,
        wait: bool = True,
    ) -> ClusterWorker:
        words = command or [str(TONE_WORKER), url, name, store, damage]
        log = tmp_path / f"worker-{len(started)}-{name}.log"
        speaking = {**ENVIRONMENT, SECONDS_VARIABLE: str(seconds)}
        started.append(ClusterWorker(words, url, name, log, {**speaking, **(environment or {})}))
        if wait:
            wait_until(started[-1].ready)
        return started[-1]

    yield start
    for worker in started:
        worker.close()


@pytest.fixture
def voice(tmp_path: Path) -> VoiceCard:
    """A voice that costs nothing."""
    return write_voice(tmp_path)


@pytest.fixture
def sentences(voice: VoiceCard) -> Callable[..., list[Unit]]:
    """Makes different sentences for that voice."""
    return partial(some_sentences, voice)
