"""Call number n of the disk or of SQLite fails while a job is asked for, run and listed, or while the list is opened.

The whole product is tried with VOXMATRIX_HYPOTHESIS=full, a part of it otherwise.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.serve.conftest import Running, error_of, eventually
from tests.serve.jobs.conftest import wait_for
from tests.toys.faults import CALLS, Faults, planted, some_cases
from voxmatrix.config import home
from voxmatrix.files import storage_errors

JOB = {"kind": "speech", "text": "It begins.", "format": "wav"}
REFUSED = (503, 507)


class Speaks:
    """The process of a job that costs nothing."""

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        with storage_errors(folder), (folder / "log.txt").open("ab") as log:
            log.write(b"spoken\n")

    def objects(self) -> Iterator[dict[str, Any]]:
        yield {"progress": {"key": "speak", "done": 1, "total": 2, "seconds_left": 1.0}}
        yield {"seconds": 1.0}

    def wait(self) -> int:
        return 0

    def stop(self) -> None:
        """It has ended."""


@pytest.fixture
def jobs(server: Running, monkeypatch: pytest.MonkeyPatch) -> Running:
    """A server whose commands do nothing, and which does not wait long."""
    monkeypatch.setattr("voxmatrix.serve.jobs.runner.JobProcess", Speaks)
    monkeypatch.setattr("voxmatrix.serve.jobs.runner._RETRY_SECONDS", 0.02)
    monkeypatch.setattr("voxmatrix.database.BUSY_SECONDS", 0.05)
    eventually(lambda: server.services.jobs.absent is None)
    return server


def begin_anew(server: Running) -> None:
    """The list is opened again, so that its connection is the one that fails."""
    server.services.jobs.close()
    server.services.jobs.open()


def ask(server: Running) -> str | None:
    """Queue a job and wait until its thread has ended; None if it is refused, clearly."""
    answer = server.post("/v1/jobs", JOB)
    if answer.status_code == 201:
        job = str(answer.json()["id"])
        eventually(lambda: f"job-{job}" not in {thread.name for thread in threading.enumerate()})
        return job
    assert answer.status_code in REFUSED, answer.text
    assert error_of(answer)["message"]
    return None


def listed(server: Running) -> set[str]:
    jobs: list[str] = []
    more = True
    while more:
        page = server.get("/v1/jobs", params={"limit": 100, **({"after": jobs[-1]} if jobs else {})}).json()
        jobs += [job["id"] for job in page["data"]]
        more = page["has_more"]
    return set(jobs)


def check_log(server: Running, since: int) -> None:
    """Everything is explained, and nothing was renamed."""
    problems = [str(facts) for event, facts in server.lines[since:] if event in ("error", "warning")]
    assert not [line for line in problems if "Traceback" in line or "OSError:" in line or "sqlite3." in line], problems
    assert not list(home().rglob("*damaged*")), "something whole was renamed"


def every_case(call: str, server: Running, act: Callable[[Faults], object], check: Callable[[object], None]) -> None:
    """Count the calls of an act, let them fail one by one, and check what is there without faults then."""
    with planted(Faults(home(), call)) as counted:
        act(counted)
    wrong = []
    for number, error in some_cases(call, counted.seen):
        since = len(server.lines)
        try:
            with planted(Faults(home(), call, number, error)) as faults:
                result = act(faults)
            faults.number = 0  # of the connection that is still open
            check(result)
            check_log(server, since)
        except Exception as failed:
            wrong.append(f"{call} {number} of {counted.seen}, {error}: {type(failed).__name__}: {failed}"[:700])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("call", CALLS)
def test_a_fault_while_a_job_is_made_costs_no_job(call: str, jobs: Running) -> None:
    expected: set[str] = set()

    def ask_and_list(faults: Faults) -> str | None:
        wanted, faults.number = faults.number, 0
        begin_anew(jobs)
        faults.number, faults.seen = wanted, 0
        job = ask(jobs)
        assert jobs.get("/v1/jobs").status_code in (200, *REFUSED)
        expected.update({job} if job else ())
        return job

    def check(job: object) -> None:
        jobs.services.jobs.tidy()
        if isinstance(job, str) and wait_for(jobs, job, seconds=10)["state"] == "failed":
            assert jobs.post(f"/v1/jobs/{job}/resume", None).status_code == 200
            assert wait_for(jobs, job, seconds=10)["state"] == "done"
        again = ask(jobs)
        assert again is not None and wait_for(jobs, again, seconds=10)["state"] == "done"
        expected.add(again)
        assert listed(jobs) == expected

    every_case(call, jobs, ask_and_list, check)


@pytest.mark.parametrize("call", CALLS)
def test_a_list_that_cannot_be_opened_now_is_opened_later(call: str, jobs: Running) -> None:
    job = wait_for(jobs, ask(jobs) or "")["id"]

    def check(_: object) -> None:
        if jobs.services.jobs.absent is not None:
            answer = jobs.get("/v1/jobs")
            assert answer.status_code == 503 and error_of(answer)["message"]
            assert "no jobs are run" in jobs.get("/readyz").text  # but it speaks
            jobs.services.jobs.tidy()
        assert jobs.services.jobs.absent is None
        assert listed(jobs) == {job}

    every_case(call, jobs, lambda _: begin_anew(jobs), check)
