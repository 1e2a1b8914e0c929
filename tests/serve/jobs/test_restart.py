"""The program itself, killed while it has jobs."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest

from tests.serve.conftest import eventually
from tests.serve.jobs.conftest import LONG

Start = Callable[[], "Program"]


class Program:
    """`voxmatrix serve` with a home of its own."""

    def __init__(self, home: Path, voice: Path) -> None:
        command = [sys.executable, "-m", "voxmatrix_entrypoint", "serve", "--voice", str(voice), "--threads", "1"]
        self.process = subprocess.Popen(
            [*command, "--device", "cpu", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "VOXMATRIX_HOME": str(home), "OMP_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip().removeprefix("serving on ")

    def submit(self, **fields: object) -> str:
        return str(httpx.post(f"{self.url}/v1/jobs", json={"kind": "speech", "format": "wav", **fields}).json()["id"])

    def state(self, job: str) -> str:
        return str(httpx.get(f"{self.url}/v1/jobs/{job}").json()["state"])

    def progress(self, job: str) -> float:
        return float(httpx.get(f"{self.url}/v1/jobs/{job}").json()["progress"])

    def commands(self) -> list[psutil.Process]:
        children = psutil.Process(self.process.pid).children()
        return [child for child in children if "voxmatrix_entrypoint.attached" in child.cmdline()]

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        self.process.wait(60)


@pytest.fixture
def start(voice: Path, tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as stack:

        @contextmanager
        def program() -> Iterator[Program]:
            started = Program(tmp_path / "home", voice)
            try:
                yield started
            finally:
                started.process.kill()
                started.process.wait()
                if started.process.stdout:
                    started.process.stdout.close()

        yield lambda: stack.enter_context(program())


def test_after_kill_9_results_are_there_the_running_job_goes_on_and_queued_ones_run(start: Start) -> None:
    first = start()
    done = first.submit(text="This one is finished.")
    eventually(lambda: first.state(done) == "done")
    sound = httpx.get(f"{first.url}/v1/jobs/{done}/files/speech.wav").content
    running = first.submit(text=LONG[:100_000])
    queued = first.submit(text="This one waits.")
    eventually(lambda: first.progress(running) > 0)
    (command,) = first.commands()
    first.end(signal.SIGKILL)

    second = start()
    assert (second.state(done), second.state(queued)) == ("done", "queued")
    assert httpx.get(f"{second.url}/v1/jobs/{done}/files/speech.wav").content == sound
    eventually(lambda: second.state(running) == "running")
    with suppress(psutil.NoSuchProcess):
        command.wait(60)  # it has ended by itself, and the new command has waited for it
    before = second.progress(running)
    eventually(lambda: second.progress(running) != before)
    log = httpx.get(f"{second.url}/v1/jobs/{running}/files/log.txt").text
    assert "continuing" in log  # the command of the killed server kept what it had spoken
    httpx.post(f"{second.url}/v1/jobs/{running}/cancel")
    eventually(lambda: second.state(queued) == "done")
    second.end(signal.SIGTERM)


def test_a_server_that_is_stopped_ends_its_commands_and_the_next_one_continues(start: Start) -> None:
    first = start()
    job = first.submit(text=LONG[:100_000])
    eventually(lambda: first.progress(job) > 0)
    (command,) = first.commands()
    first.end(signal.SIGTERM)
    assert not command.is_running()
    second = start()
    eventually(lambda: second.state(job) == "running")
    eventually(lambda: "continuing" in httpx.get(f"{second.url}/v1/jobs/{job}/files/log.txt").text)
    second.end(signal.SIGTERM)
