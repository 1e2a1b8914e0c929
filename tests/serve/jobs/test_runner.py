"""Queue, lanes, cancelling, resuming, events, and what a failed command leaves."""

import json
import threading
import time
from typing import Any

import httpx
import psutil
import pytest

from tests.serve.conftest import Running, Serve, error_of, eventually
from tests.serve.jobs.conftest import LONG, read, submit, upload, wait_for
from tests.serve.jobs.test_store import make_job
from tests.test_database import held
from voxmatrix.config import home
from voxmatrix.serve.jobs import jobs
from voxmatrix.serve.jobs.jobs import Jobs
from voxmatrix.serve.jobs.store import JobStore


def long_speech(server: Running) -> str:
    """A job that runs until it is ended."""
    return submit(server, "speech", file=upload(server, "long.txt", LONG.encode()), format="wav")


def commands() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "voxmatrix_entrypoint.attached" in child.cmdline()]


def events(server: Running, job: str, **more: Any) -> list[dict[str, str]]:
    """All events of a job that has ended."""
    text = server.get(f"/v1/jobs/{job}/events", **more).text
    return [dict(line.split(": ", 1) for line in event.split("\n")) for event in text.strip().split("\n\n")]


def test_a_job_is_cancelled_and_goes_on_where_it_ended(server: Running) -> None:
    job = long_speech(server)
    waiting = submit(server, "speech", text="I wait for the one before.")
    eventually(lambda: read(server, job)["progress"] > 0)
    running = read(server, job)
    assert running["seconds_left"] > 0
    assert read(server, waiting)["state"] == "queued"
    assert server.post(f"/v1/jobs/{waiting}/cancel", None).json()["state"] == "cancelled"
    server.post(f"/v1/jobs/{job}/cancel", None)
    cancelled = wait_for(server, job)
    assert (cancelled["state"], cancelled["error"], commands()) == ("cancelled", None, [])
    assert server.post(f"/v1/jobs/{job}/cancel", None).json()["state"] == "cancelled"
    assert server.post(f"/v1/jobs/{job}/resume", None).status_code == 200
    eventually(lambda: read(server, job)["progress"] > cancelled["progress"])
    log = server.get(f"/v1/jobs/{job}/files/log.txt").text
    assert "continuing" in log
    again = server.post(f"/v1/jobs/{job}/resume", None)
    assert (again.status_code, error_of(again)["code"]) == (409, "wrong_state")
    kept = httpx.delete(f"{server.url}/v1/jobs/{job}")
    assert (kept.status_code, error_of(kept)["message"]) == (409, "the job is running: cancel it first")


@pytest.mark.parametrize("format_name", ["wav", "flac"])
def test_a_job_is_heard_while_it_is_made(server: Running, format_name: str) -> None:
    file = upload(server, "long.txt", LONG.encode())
    job = submit(server, "speech", file=file, format=format_name)
    live = f"{server.url}/v1/jobs/{job}/live"
    eventually(lambda: read(server, job)["progress"] > 0)
    with httpx.stream("GET", live, timeout=60) as answer:
        assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
        sound = b""
        for block in answer.iter_bytes():
            sound += block
            if len(sound) > 100_000 and read(server, job)["state"] == "running":
                server.post(f"/v1/jobs/{job}/cancel", None)
    assert sound.startswith(b"RIFF") and len(sound) > 100_000  # up to the end
    assert wait_for(server, job)["state"] == "cancelled"
    assert httpx.get(live).status_code == 404


def test_a_job_has_its_settings_and_no_secret(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("VOXMATRIX_KEY", "HF_TOKEN", "REDIS_PASSWORD", "AWS_SECRET_ACCESS_KEY", "MY_OWN_SECRET")
    for name in (*secrets, "OMP_WAIT_POLICY", "VOXMATRIX_LOG"):
        monkeypatch.setenv(name, "1")
    job = long_speech(server)
    eventually(lambda: read(server, job)["progress"] > 0)
    found = [process.environ() for command in commands() for process in (command, *command.children(recursive=True))]
    assert found
    assert not {name for one in found for name in one}.intersection(secrets)
    assert found[0].keys() >= {"PATH", "OMP_WAIT_POLICY", "VOXMATRIX_LOG", "VOXMATRIX_HOME"}
    server.post(f"/v1/jobs/{job}/cancel", None)
    wait_for(server, job)


def test_kinds_have_lanes_of_their_own(server: Running) -> None:
    speaking = long_speech(server)
    eventually(lambda: read(server, speaking)["state"] == "running")
    assert wait_for(server, submit(server, "benchmark", what="matmul", device="cpu", runs=1))["state"] == "done"
    assert read(server, speaking)["state"] == "running"


def test_events_continue_after_the_last_one_that_was_seen(server: Running) -> None:
    job = submit(server, "speech", text="Hello.")
    wait_for(server, job)
    found = events(server, job)
    states = [json.loads(event["data"])["state"] for event in found if event["event"] == "state"]
    assert states == ["queued", "running", "done"]
    ids = [int(event["id"]) for event in found]
    assert ids == sorted(set(ids))
    assert events(server, job, headers={"Last-Event-ID": str(ids[0])}) == found[1:]
    assert events(server, job, params={"after": ids[1]}) == found[2:]
    for last in (str(ids[-1]), "9" * 18):
        assert server.get(f"/v1/jobs/{job}/events", headers={"Last-Event-ID": last}).status_code == 204
    for unknown in ("nonsense", "-1", "9" * 30):
        assert events(server, job, headers={"Last-Event-ID": unknown}) == found


def test_events_are_sent_as_they_happen_and_a_leaver_leaves_nothing(server: Running) -> None:
    job = long_speech(server)
    eventually(lambda: read(server, job)["progress"] > 0)  # the command is running, and its pipes are open
    before = psutil.Process().num_fds()
    names = []
    with httpx.stream("GET", f"{server.url}/v1/jobs/{job}/events", timeout=60) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            names += [line.removeprefix("event: ")] if line.startswith("event: ") else []
            if "progress" in names:
                break
    assert names[:2] == ["state", "state"]
    eventually(lambda: psutil.Process().num_fds() <= before)
    assert read(server, job)["state"] == "running"


def test_a_command_that_fails_says_why_without_paths_of_the_server(server: Running) -> None:
    job = submit(server, "book", file=upload(server, "empty.txt", b"\n \n"))
    failed = wait_for(server, job)
    assert failed["state"] == "failed"
    assert "empty.txt" in failed["error"]["message"]
    assert str(server.services.jobs.folder(job)) not in json.dumps(failed)


def test_a_killed_command_is_a_failed_job(server: Running) -> None:
    job = long_speech(server)
    eventually(lambda: len(commands()) == 1)
    commands()[0].kill()
    failed = wait_for(server, job)
    assert failed["state"] == "failed"
    assert "was killed" in failed["error"]["message"]
    assert not [one for one in threading.enumerate() if one.name == f"job-{job}"]


def test_a_full_queue_is_told_to_come_again(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_WAITING", 2)
    running = long_speech(server)
    eventually(lambda: read(server, running)["state"] == "running")
    for _ in range(2):
        submit(server, "speech", text="Hello.")
    answer = server.post("/v1/jobs", {"kind": "speech", "text": "Hello."})
    assert (answer.status_code, error_of(answer)["code"]) == (429, "queue_full")
    assert int(answer.headers["retry-after"]) > 0
    folders = [path for path in server.services.jobs.folder("").iterdir() if path.is_dir() and path.name != "uploads"]
    assert len(folders) == 3  # nothing is left of what was refused


def test_jobs_are_listed_newest_first_in_pages(server: Running) -> None:
    long_speech(server)
    ids = [submit(server, "speech", text=f"Number {number}.") for number in range(4)]
    first = server.get("/v1/jobs", params={"limit": 2}).json()
    assert [job["id"] for job in first["data"]] == ids[:1:-1]
    assert first["has_more"] is True
    second = server.get("/v1/jobs", params={"limit": 2, "after": ids[2]}).json()
    assert [job["id"] for job in second["data"]] == ids[1::-1]
    assert server.get("/v1/jobs", params={"kind": "train"}).json() == {"data": [], "has_more": False}
    assert 'voxmatrix_jobs{state="queued"} 4.0' in server.get("/metrics").text


def test_a_second_server_leaves_the_jobs_to_the_first(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    from voxmatrix import lock

    monkeypatch.setattr(lock, "_acquire", lambda _: False)
    server = serve()
    answer = server.get("/v1/jobs")
    assert (answer.status_code, error_of(answer)["code"]) == (503, "unavailable")
    assert error_of(answer)["message"] == (
        "this server has no jobs: another server runs the jobs of this VOXMATRIX_HOME"
    )
    assert server.get("/readyz").status_code == 200
    assert "another server runs the jobs" in str(server.lines)
    assert "another server runs the jobs" in server.get("/healthz").json()["warnings"][0]


def test_jobs_are_served_as_soon_as_another_program_has_closed_their_list(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voxmatrix.database.BUSY_SECONDS", 0.05)
    monkeypatch.setattr("voxmatrix.serve.server._TIDY_SECONDS", 0.05)
    path = home() / "jobs" / "server" / "jobs.sqlite"
    with JobStore(path) as store:
        store.add(make_job("a" * 32, state="done"))
    with held(path):
        server = serve()
        assert server.get("/v1/jobs").status_code == 503
        assert "jobs.sqlite" in server.get("/readyz").json()["warnings"][0]
        assert "jobs.sqlite" in server.get("/healthz").json()["warnings"][0]
        problems = [facts for event, facts in server.lines if event == "warning"]
        assert all("close it" in facts["remedy"] for facts in problems) and problems
        time.sleep(0.5)
        assert [facts for event, facts in server.lines if event == "warning"] == problems  # it is said once
    eventually(lambda: server.get("/v1/jobs").status_code == 200)
    assert [job["id"] for job in server.get("/v1/jobs").json()["data"]] == ["a" * 32]
    assert "warnings" not in server.get("/healthz").json()
    assert [one.name for one in path.parent.glob("*damaged*")] == []


def test_while_jobs_are_opened_a_server_is_not_ready(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Jobs, "open", lambda self: None)
    answer = serve().get("/readyz")
    assert answer.status_code == 503 and "the list of jobs is not open yet" in answer.json()["reasons"]
