"""The store of jobs: what survives, and in which order."""

import threading
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.errors import UnreachableError
from voxmatrix.serve.jobs.job import Job, JobError, Work
from voxmatrix.serve.jobs.store import JobStore


def make_job(name: str, **more: Any) -> Job:
    work = Work(title=name, words=("speak", "--text=ö"), lane="speech", measure="speak", files=("a",), result=None)
    given = {"kind": "speech", "title": name, "state": "queued", "request": {"text": "ö"}, "created": 1.5, **more}
    return Job(id=name, work=work, **given)


def test_a_job_is_read_as_it_was_written(tmp_path: Path) -> None:
    with JobStore(tmp_path / "new" / "jobs.sqlite") as store:
        store.add(make_job("a"))
        store.start("a")
        store.progressed("a", 0.5, 12.0, {"work": "x"})
        store.end("a", "failed", error=JobError(message="no", remedy="try"), result={"seconds": 1})
    with JobStore(tmp_path / "new" / "jobs.sqlite") as store:
        found = store.get("a")
        assert found is not None
        assert found.work == make_job("a").work
        assert (found.state, found.progress, found.seconds_left, found.result) == ("failed", 0.5, None, {"seconds": 1})
        assert found.error == JobError(message="no", remedy="try")
        assert store.get("b") is None


def test_a_state_changes_only_from_the_right_ones(tmp_path: Path) -> None:
    with JobStore(tmp_path / "jobs.sqlite") as store:
        store.add(make_job("a"))
        assert not store.queue_again("a")
        assert not store.remove("a")
        assert store.start("a")
        assert not store.start("a")
        assert store.end("a", "cancelled")
        assert not store.end("a", "done")
        assert store.queue_again("a")
        assert store.end("a", "cancelled")
        assert store.remove("a")
        assert store.events("a", 0) == []
        assert store.counts() == {"queued": 0, "running": 0, "done": 0, "failed": 0, "cancelled": 0}


def test_a_job_that_a_dead_server_ran_began_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("voxmatrix.serve.jobs.store.time.time", lambda: float(next(clock)))

    def started(store: JobStore) -> float | None:
        found = store.get("a")
        assert found is not None
        return found.started

    with JobStore(tmp_path / "jobs.sqlite") as store:
        store.add(make_job("a"))
        store.start("a")
        first = started(store)
        store.recover()
        store.start("a")
        assert started(store) == first
        store.end("a", "failed")
        store.queue_again("a")  # by somebody, perhaps days later
        assert started(store) is None
        store.start("a")
        assert started(store) != first


def test_only_the_newest_progress_is_kept_and_ids_rise(tmp_path: Path) -> None:
    with JobStore(tmp_path / "jobs.sqlite") as store:
        store.add(make_job("a"))
        for step in range(50):
            store.progressed("a", step / 50, None, {"done": step})
            store.add_event("a", "metrics", {"step": step})
        found = store.events("a", 0)
        assert [event.name for event in found] == ["state", *["metrics"] * 49, "progress", "metrics"]
        assert [event.id for event in found] == sorted({event.id for event in found})
        assert store.events("a", found[-2].id) == [found[-1]]


def test_a_job_that_kills_servers_is_not_started_for_ever(tmp_path: Path) -> None:
    with JobStore(tmp_path / "jobs.sqlite") as store:
        store.add(make_job("a"))
        states = []
        for _ in range(3):
            store.start("a")
            store.recover()
            found = store.get("a")
            assert found is not None
            states.append(found.state)
        assert states == ["queued", "queued", "failed"]
        assert found.error is not None
        assert "ended unexpectedly 3 times" in found.error.message
        assert store.queue_again("a")


def test_a_damaged_file_is_renamed_and_one_of_another_version_refused(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    path.write_bytes(b"no database" * 1000)
    with JobStore(path) as store:
        assert store.damaged == tmp_path / "jobs.damaged-1.sqlite"
        store._database.execute("pragma user_version = 99")
    with pytest.raises(UnreachableError, match="another version"):
        JobStore(path)


def test_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    with JobStore(tmp_path / "jobs.sqlite") as store:

        def work(number: int) -> None:
            name = f"job{number}"
            store.add(make_job(name))
            store.start(name)
            store.progressed(name, 0.5, None, {})
            store.end(name, "done")

        threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.counts()["done"] == 8


@pytest.mark.parametrize("part", [0, 1 / 3, 2 / 3])
def test_a_damaged_list_is_made_again_from_the_folders_of_the_jobs(tmp_path: Path, part: float) -> None:
    path, ids = tmp_path / "jobs.sqlite", [f"{number:032x}" for number in range(40)]
    with JobStore(path) as store:
        for number, one in enumerate(ids):
            store.add(make_job(one, created=float(number)))
        store.start(ids[0])
        store.end(ids[0], "done", result={"seconds": 1.0})
        store.start(ids[1])
        store.start(ids[2])
        store.end(ids[2], "cancelled")
        assert store.remove(ids[2])
        before = store.page(100)
    path.write_bytes(path.read_bytes()[: round(path.stat().st_size * part)])
    (tmp_path / ids[3] / "job.json").write_text("{")
    (tmp_path / ("f" * 32)).mkdir()

    with JobStore(path) as store:
        assert store.restore() == (38, [tmp_path / ids[3]])
        assert store.page(100) == [job for job in before if job.id != ids[3]]
        store.recover()
        found = store.get(ids[1])
        assert found is not None and found.state == "queued"
        assert store.restore() == (0, [tmp_path / ids[3]])


def test_jobs_of_an_earlier_version_get_a_record(tmp_path: Path) -> None:
    with JobStore(tmp_path / "jobs.sqlite") as store:
        store.add(make_job("a" * 32))
        (tmp_path / ("a" * 32) / "job.json").unlink()
        assert store.restore() == (0, [])
    (tmp_path / "jobs.sqlite").unlink()
    with JobStore(tmp_path / "jobs.sqlite") as store:
        assert store.restore() == (1, [])
        assert store.get("a" * 32) == make_job("a" * 32)
