"""The command is killed, or its disk is full: the same command goes on, and the book is the same."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from tests.work.cluster.faults.books import SENTENCES, BookCommand, kill
from tests.work.cluster.faults.cluster import SECONDS, Cluster
from tests.work.cluster.processes import wait_until

pytestmark = [pytest.mark.redis, pytest.mark.slow]


def test_the_coordinator_may_be_killed(chance: Random, cluster: Cluster, book: list[str], tmp_path: Path) -> None:
    cluster.start_workers(SECONDS)
    command = BookCommand(tmp_path, cluster.server.url)
    first = command.start()

    _reach_any_moment(command, first, chance)
    kill(first)
    code, said = command.end(command.start()) if not command.checksums else (0, "")

    assert code == 0, said
    assert command.checksums == book


@pytest.mark.mount
def test_the_disk_may_be_full(chance: Random, cluster: Cluster, book: list[str], disk: Path) -> None:
    cluster.start_workers(SECONDS)
    command = BookCommand(disk, cluster.server.url)
    first = command.start()

    _reach_any_moment(command, first, chance)
    _fill(disk, chance.choice((0, 0, chance.randrange(64 * 1024))))
    code, said = command.end(first)

    if code != 0:
        assert code == 8, said
        assert "cannot write" in said and ("No space left" in said or "is full" in said), said
        assert "free some space" in said and "run the same command again" in said, said
        (disk / "filler").unlink()
        code, said = command.end(command.start())
    assert code == 0, said
    assert command.checksums == book


def _reach_any_moment(command: BookCommand, process: "subprocess.Popen[str]", chance: Random) -> None:
    """From the start of the command to its end."""
    sentences = chance.randrange(SENTENCES + 1)
    wait_until(lambda: command.spoken >= sentences or process.poll() is not None)
    time.sleep(chance.uniform(0, 1.5 if sentences in (0, SENTENCES) else 0.3))


def _fill(disk: Path, left: int) -> None:
    """Leave this many bytes free, as far as the file system knows such amounts."""
    with (disk / "filler").open("wb", buffering=0) as file:
        with suppress(OSError):
            while file.write(bytes(4096)):
                pass
        if left:
            file.truncate(max(0, file.tell() - left))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)
