"""Keep the workers of this computer running: one per device, each in processes of its own."""

import logging
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from voxmatrix.processes import join_or_kill, kill_group
from voxmatrix.work.cluster.worker.node import NodeSettings, run_node

logger = logging.getLogger(__name__)

#: To finish the sentence in progress; `docker stop` allows ten seconds in total.
STOP_SECONDS = 8.0
#: A worker that ends by itself is started again after a pause, which grows while it keeps ending soon.
_PAUSES_SECONDS = (0.2, 1.0, 3.0, 10.0, 30.0)
_SOON_SECONDS = 20.0
_SPAWN = multiprocessing.get_context("spawn")  # a fork would inherit the threads and signals of this process


@dataclass
class _Node:
    settings: NodeSettings
    process: SpawnProcess
    started: float
    short_lives: int = 0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the sentence in progress, in memory where the system has such a place: nothing in it outlives the
    worker, and to flush every sentence to a disk would take longer than to speak it on a GPU."""
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="voxmatrix-worker-", dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def run_workers(settings: Sequence[NodeSettings]) -> None:
    """Run workers until Ctrl-C or SIGTERM, which ends them in an orderly way.

    Raises:
        KeyboardInterrupt: all have ended.
    """
    nodes = [_Node(each, _start(each), time.monotonic()) for each in settings]
    try:
        while True:
            wait([node.process.sentinel for node in nodes])
            for node in nodes:
                if not node.process.is_alive():
                    _restart(node)
    finally:
        _stop(nodes)


def _start(settings: NodeSettings) -> SpawnProcess:
    process = _SPAWN.Process(target=run_node, args=(settings,), name=settings.name)
    process.start()
    return process


def _restart(node: _Node) -> None:
    """Start a worker that has ended, e.g. because it was killed, or because of a message that is not JSON."""
    node.process.join()
    lived = time.monotonic() - node.started
    node.short_lives = node.short_lives + 1 if lived < _SOON_SECONDS else 0
    pause = _PAUSES_SECONDS[min(node.short_lives, len(_PAUSES_SECONDS) - 1)]
    logger.warning("worker %s ended (exit code %s); starting it again", node.settings.name, node.process.exitcode)
    time.sleep(pause)
    node.process, node.started = _start(node.settings), time.monotonic()


def _stop(nodes: Sequence[_Node]) -> None:
    for node in nodes:
        node.process.terminate()
    # The child of a worker that is killed ends by itself unless it computes: so end the whole group.
    join_or_kill([node.process for node in nodes], STOP_SECONDS, lambda process: kill_group(process.pid or 0))
