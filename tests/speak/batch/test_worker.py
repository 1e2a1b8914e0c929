"""A worker process that is asked to stop: it ends at once and silently, except between a file and its report."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.speak import openings
from voxmatrix.models.card import Capabilities, VoiceCard
from voxmatrix.models.style import Runtime, Style
from voxmatrix.speak.batch.messages import JobEnded, Message, Opening, SpeakJob, VoiceOpened, WorkerStart
from voxmatrix.speak.batch.processes import WorkerProcess, WorkerProcesses
from voxmatrix.speak.output import Speech

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without a signal")


@pytest.fixture
def processes() -> Iterator[WorkerProcesses]:
    running = WorkerProcesses()
    yield running
    running.stop()


def given_a_job(processes: WorkerProcesses, folder: Path, opening: Opening, **more: Any) -> WorkerProcess:
    voice = VoiceCard(
        id="voice", family="piper", files=(), rate_hz=16000, languages=("en-us",), capabilities=Capabilities()
    )
    start = WorkerStart(voice=voice, style=Style(), runtime=Runtime(), scratch=folder, opening=opening, **more)
    job = SpeakJob(text="Hello.", out=folder / "out.wav", style=Style())
    worker = processes.start(start, [job])
    worker.send(job)
    return worker


def messages(worker: WorkerProcess) -> list[Message]:
    """All until it has died."""
    return list(iter(worker.receive, None))


@pytest.mark.parametrize("opening", [openings.stopped_in_a_finaliser, openings.stopped_in_a_weakref_callback])
def test_a_signal_where_python_drops_exceptions_ends_it_silently(
    processes: WorkerProcesses, tmp_path: Path, opening: Opening, capfd: pytest.CaptureFixture[str]
) -> None:
    worker = given_a_job(processes, tmp_path, opening)

    assert messages(worker) == [VoiceOpened()]
    assert processes.bury(worker) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_signal_after_the_file_and_before_its_report_is_obeyed_after_the_report(
    processes: WorkerProcesses, tmp_path: Path, at_once: int
) -> None:
    worker = given_a_job(processes, tmp_path, openings.stopped_when_finished, at_once=at_once)

    ended = messages(worker)[-1]

    assert isinstance(ended, JobEnded) and isinstance(ended.result, Speech)
    assert processes.bury(worker) == 0


def test_a_text_in_the_middle_is_not_reported_and_its_file_is_removed(
    processes: WorkerProcesses, tmp_path: Path
) -> None:
    worker = given_a_job(processes, tmp_path, openings.stopped_in_the_middle)

    assert messages(worker) == [VoiceOpened()]
    assert [path.name for path in tmp_path.iterdir()] != []
    assert processes.bury(worker) == 0
    assert not list(tmp_path.iterdir())


def test_what_is_finished_while_it_is_asked_to_stop_is_among_the_last_messages(
    processes: WorkerProcesses, tmp_path: Path
) -> None:
    worker = given_a_job(processes, tmp_path, openings.finished_when_stopped)
    assert isinstance(worker.receive(), VoiceOpened) and worker.receive() is not None  # characters: it has begun

    last = list(processes.last_messages())

    assert [type(message) for _, message in last] == [JobEnded] and last[0][0] is worker
    assert not processes.running
