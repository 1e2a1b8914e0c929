"""A Redis server and workers with a free voice, as processes, and jobs over them."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from tools.bench.books import free_voice
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.work.cluster.members import workers_health
from voxmatrix.work.executor import Executor
from voxmatrix.work.job import JobProgress, OnJobProgress, run_job
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.unit import Unit, unit_of

PROGRAM = (sys.executable, "-m", "voxmatrix_entrypoint")
_START_SECONDS = 60.0
_PRINTED_BYTES = 2000


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """A server that keeps what it has, as docker/cluster.yaml starts it; its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    folder.mkdir()
    words = ["redis-server", "--port", port, "--dir", str(folder), "--appendonly", "yes", "--save", ""]
    with process([*words, "--maxmemory-policy", "noeviction"]):
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def free_workers(broker: str, seconds: Sequence[float]) -> Iterator[None]:
    """Workers that take `seconds` for each sentence, of one second of audio."""
    with ExitStack() as stack:
        for number, each in enumerate(seconds):
            stack.enter_context(worker(broker, number, free_voice.environment(each)))
        await_workers(broker, len(seconds))
        yield


@contextmanager
def worker(
    broker: str,
    number: int,
    environment: Mapping[str, str] | None = None,
    *,
    device: str = "cpu",
    threads: int = 1,
) -> Iterator[None]:
    """A worker, usually with one thread."""
    options = ["--cluster", broker, "--name", f"w{number}", "--device", device, "--threads", str(threads)]
    with process([*PROGRAM, "worker", *options], environment):
        yield


def await_workers(broker: str, count: int) -> None:
    """Wait until `count` workers answer.

    Raises:
        SystemExit: they do not.
    """
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            if len(workers_health(broker)) == count:
                return
        except Exception:
            time.sleep(0.1)  # the server is starting
        if time.monotonic() > until:
            raise SystemExit("the workers did not start")


@contextmanager
def process(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that runs until the block ends. If that is with an error, the end of its output is printed."""
    env = {**os.environ, **(environment or {})}
    with TemporaryFile() as output, subprocess.Popen(command, stdout=output, stderr=output, env=env) as running:
        try:
            yield running
        except BaseException:
            output.seek(0)
            said = output.read()[-_PRINTED_BYTES:].decode(errors="replace")
            print(f"{' '.join(command)} said:\n{said}", file=sys.stderr)
            raise
        finally:
            running.terminate()


def sentences(voice: VoiceCard, count: int) -> list[Unit]:
    """Different sentences, each estimated as long as the free voice makes it."""
    digest = voice.digest
    return [unit_of(f"Line {n:06}.", digest, Style()) for n in range(count)]


class TimedJob(NamedTuple):
    """How long a job took from its first delivery on, so that the start of workers does not count."""

    units: int
    seconds: float


def timed_job(
    folder: Path,
    units: Sequence[Unit],
    start: Callable[[Path], AbstractContextManager[Executor]],
    on_progress: OnJobProgress | None = None,
) -> TimedJob:
    """Run a job to its end, on the executor that `start` makes for a folder of incoming files.

    Raises:
        SystemExit: sentences are missing.
    """
    began, first = 0.0, 0

    def progressed(progress: JobProgress) -> None:
        nonlocal began, first
        if not began and progress.done:
            began, first = time.perf_counter(), progress.done
        if on_progress is not None:
            on_progress(progress)

    with open_ledger(folder) as ledger, start(ledger.incoming) as executor:
        outcome = run_job(ledger, units, executor, progressed)
        taken = time.perf_counter() - began
    if outcome.given_up or outcome.spoken != len(units):
        raise SystemExit(f"only {outcome.spoken} of {len(units)} sentences were spoken")
    return TimedJob(len(units) - first, taken)
