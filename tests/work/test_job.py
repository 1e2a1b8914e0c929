"""A job: it ends complete with the same audio whoever dies, or says what is missing, and goes on when run again."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.work import openings
from tests.work.conftest import RunJob
from tests.work.test_ledger import audio
from voxmatrix.errors import BadInputError, InterruptedRunError, UnreachableError, VoxmatrixError
from voxmatrix.models.style import Runtime, Style
from voxmatrix.speak.batch.messages import Failure
from voxmatrix.speak.wav import header
from voxmatrix.voices.resolve import resolve
from voxmatrix.work.executor import UnitSpoken, WorkerJoined, WorkerLeft
from voxmatrix.work.job import JobProgress, run_job
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.local_executor import LocalExecutor
from voxmatrix.work.unit import Unit, unit_of

KILLED = Failure(problem="it was killed", remedy="", exit_code=1)

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that kill")


def said(*texts: str) -> list[Unit]:
    return [unit_of(text, "voice", Style()) for text in texts]


def test_all_units_are_spoken_once_and_not_again(run: RunJob, units: list[Unit], tmp_path: Path) -> None:
    told: list[JobProgress] = []

    outcome = run([*units, *units[:5]], on_progress=told.append)
    again = run(units)

    assert (outcome.spoken, outcome.known, outcome.given_up) == (30, 0, ())
    assert (again.spoken, again.known) == (0, 30)
    assert set(audio(tmp_path / "job")) == {unit.key for unit in units}
    assert told[-1].done == told[-1].total == 30 and told[-1].seconds_left == 0.0
    assert sum((200 + 2 * len(unit.text)) / 2 for unit in units) == pytest.approx(told[-1].audio_seconds * 16000)


def test_more_units_than_are_kept_in_memory(run: RunJob, tmp_path: Path) -> None:
    many = said(*(f"Number {number}." for number in range(2500)))

    assert run(iter(many)).spoken == 2500
    with open_ledger(tmp_path / "job") as ledger:
        ledger.want(many)
        assert [text for text, _ in ledger.deliveries()] == [unit.text for unit in many]


def test_only_what_changed_is_spoken_again(run: RunJob, units: list[Unit]) -> None:
    run(units)

    outcome = run([*units[:10], *said("Another sentence."), *units[11:]])

    assert (outcome.spoken, outcome.known) == (1, 29)


@needs_signals
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("word", "reason"), [("deadly", "killed"), ("silent", "nothing to speak")])
def test_a_unit_that_always_fails_is_named_after_three_attempts_and_the_others_are_made(
    run: RunJob, units: list[Unit], tmp_path: Path, word: str, reason: str, workers: int
) -> None:
    outcome = run([*units[:8], *said(f"{word} one"), *units[8:]], workers=workers)

    (given_up,) = outcome.given_up
    assert given_up.unit.text == f"{word} one" and reason in given_up.problem
    assert outcome.spoken == 30
    with open_ledger(tmp_path / "job") as ledger:
        tried = [worker for worker, _ in ledger.attempts(given_up.unit.key)]
    assert len(tried) >= 3  # on different workers as soon as there are several: test_scheduler.py


def test_a_full_disk_stops_the_job_and_it_goes_on_later(run: RunJob, units: list[Unit]) -> None:
    with pytest.raises(UnreachableError, match="no space left"):
        run([*units[:20], *said("full disk"), *units[20:]], workers=1)

    outcome = run(units)
    assert outcome.known >= 20 and outcome.spoken + outcome.known == 30


def test_a_voice_that_cannot_be_opened_ends_the_job(run: RunJob, units: list[Unit]) -> None:
    with pytest.raises(BadInputError, match="no speaker 'bo'"):
        run(units, opening=openings.no_voice)


@needs_signals
def test_a_computer_on_which_every_worker_dies_ends_the_job(run: RunJob) -> None:
    with pytest.raises(VoxmatrixError, match="10 times in a row"):
        run(said(*(f"deadly {number}" for number in range(20))), workers=1)


def test_ctrl_c_keeps_what_is_spoken(run: RunJob, units: list[Unit]) -> None:
    def press(progress: JobProgress) -> None:
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match=r"of 30 sentences are kept") as caught:
        run(said(*(f"slow {unit.text}" for unit in units)), on_progress=press)

    assert "again" in caught.value.remedy
    outcome = run(said(*(f"slow {unit.text}" for unit in units)))
    assert outcome.known > 0 and outcome.spoken + outcome.known == 30


PROGRAM = """
import sys
from pathlib import Path
from tests.toys.family import voice_of
from tests.work import openings
from voxmatrix.models.style import Runtime, Style
from voxmatrix.speak.batch.messages import Failure
from voxmatrix.work.local_executor import LocalExecutor
from voxmatrix.work.job import run_job
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.unit import unit_of
if __name__ == "__main__":
    units = [unit_of(f"slow {number}", "voice", Style()) for number in range(30)]
    folder = Path(sys.argv[1])
    voice = voice_of(folder / "voice.tones")
    with (
        open_ledger(folder / "job") as ledger,
        LocalExecutor(voice, Style(), ledger.incoming, Runtime(), workers=2, opening=openings.free) as e,
    ):
        print("begun", flush=True)
        run_job(ledger, units, e)
"""


@needs_signals
def test_a_driver_that_is_killed_at_any_moment_goes_on_with_the_same_audio(run: RunJob, tmp_path: Path) -> None:
    slow = said(*(f"slow {number}" for number in range(30)))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    rng = random.Random(1)
    for _ in range(4):
        with subprocess.Popen([sys.executable, str(program), str(tmp_path)], stdout=subprocess.PIPE, cwd=Path.cwd(),
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) as driver:  # fmt: skip
            assert driver.stdout is not None and driver.stdout.readline()
            time.sleep(rng.uniform(0.2, 3.0))
            driver.kill()

    outcome = run(slow)

    assert outcome.spoken + outcome.known == 30 and not outcome.findings
    found = audio(tmp_path / "job")
    (tmp_path / "job").rename(tmp_path / "killed")
    run(slow)
    assert found == audio(tmp_path / "job")


class Deadly(LocalExecutor):
    """Kills the process that was given something to speak, while it speaks, twice."""

    kills = 0

    def submit(self, worker: str, units: Sequence[Unit]) -> None:
        super().submit(worker, units)
        if self.kills < 2:
            time.sleep(0.05 * (1 + self.kills))
            self.replace(worker, KILLED)  # what it had not finished is submitted again: to the second victim
            self.kills += 1


@needs_signals
def test_real_speech_is_the_same_when_workers_are_killed(tmp_path: Path) -> None:
    voice, style = resolve(), Style()
    units = [unit_of(f"The birch canoe, number {n}.", voice.digest, style) for n in range(16)]

    with (
        open_ledger(tmp_path / "alone") as ledger,
        LocalExecutor(voice, style, ledger.incoming, Runtime(reproducible=True), workers=1) as executor,
    ):
        run_job(ledger, units, executor)
    with (
        open_ledger(tmp_path / "killed") as ledger,
        Deadly(voice, style, ledger.incoming, Runtime(reproducible=True), workers=2) as deadly,
    ):
        outcome = run_job(ledger, units, deadly)

    assert outcome.spoken == 16 and deadly.kills == 2
    assert audio(tmp_path / "alone") == audio(tmp_path / "killed")


class Instant:
    """An executor with one worker that has spoken everything at once, and tells one thing at a time."""

    overhead_seconds = 0.0

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: list[Any] = [WorkerJoined(worker="w")]
        self.submitted = 0

    def submit(self, worker: str, units: Sequence[Unit]) -> None:
        self.submitted += len(units)
        for unit in units:
            path = self.folder / unit.key
            path.write_bytes(header(16000, 2) + bytes(2))
            self.events.append(
                UnitSpoken(worker=worker, key=unit.key, path=path, wall_seconds=0.01, samples=1, rate_hz=16000)
            )

    def results(self, timeout_seconds: float) -> list[Any]:
        return [self.events.pop(0)] if self.events else []

    def last_results(self) -> list[Any]:
        return self.events

    def cancel(self, worker: str, keys: Sequence[str]) -> None: ...

    def replace(self, worker: str, failure: Failure) -> None: ...

    def close(self) -> None: ...


class Unheard(Instant):
    """Its worker leaves without a word whenever it should speak, and then tells why; the seventh time it speaks."""

    def __init__(self, folder: Path, why: Failure | None) -> None:
        super().__init__(folder)
        self._why = why

    def submit(self, worker: str, units: Sequence[Unit]) -> None:
        if self.submitted >= 6:
            super().submit(worker, units)
        else:
            self.submitted += len(units)
            left = WorkerLeft(worker=worker, possible_causes=tuple(unit.key for unit in units))
            self.events += [left, WorkerJoined(worker=worker, failure=self._why)]


@pytest.mark.parametrize(
    ("why", "given_up"), [(None, 0), (Failure(problem="it was restarted", remedy="", exit_code=1), 1)]
)
def test_that_a_worker_is_not_heard_is_no_failure_of_a_unit_unless_it_has_died(
    why: Failure | None, given_up: int, tmp_path: Path
) -> None:
    with open_ledger(tmp_path / "job") as ledger:
        outcome = run_job(ledger, said("Hello."), Unheard(tmp_path, why))

    assert len(outcome.given_up) == given_up
    assert outcome.spoken == 1 - given_up


def test_no_result_is_forgotten_however_many_arrive_at_once(tmp_path: Path) -> None:
    executor = Instant(tmp_path)
    with open_ledger(tmp_path / "job") as ledger:
        outcome = run_job(ledger, said(*(f"Number {number}." for number in range(300))), executor)

    assert outcome.spoken == executor.submitted == 300
