"""A cluster to which something happens at a moment that chance decides, and a table of what that cost."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.toys.family import added
from tests.work.cluster.faults.books import made_alone
from tests.work.cluster.faults.cluster import UNITS, Cluster
from tests.work.cluster.faults.seeds import SEEDS
from tests.work.cluster.faults.summary import table
from tests.work.cluster.jobs import audio_alone, some_sentences, write_voice
from tests.work.cluster.processes import ClusterWorker, RedisServer


@pytest.fixture(params=SEEDS)
def chance(request: pytest.FixtureRequest) -> Random:
    """What decides about a run: the same for the same test id."""
    return Random(request.node.name)


@pytest.fixture
def cluster(
    redis_server: RedisServer, start_worker: Callable[..., ClusterWorker], tmp_path: Path, audio: dict[str, str]
) -> Cluster:
    """Redis, without workers yet."""
    return Cluster(redis_server, start_worker, tmp_path, audio)


@pytest.fixture(scope="session")
def audio(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The checksums of the audio of all units, made without a cluster."""
    folder = tmp_path_factory.mktemp("alone")
    voice = write_voice(folder)
    with added():
        return audio_alone(voice, folder / "job", some_sentences(voice, UNITS))


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The checksums of the audiobook, made without a cluster."""
    folder = tmp_path_factory.mktemp("book")
    with added(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXMATRIX_HOME", str(folder / "home"))
        yield made_alone(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in table([*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]):
        terminalreporter.write_line(line)
