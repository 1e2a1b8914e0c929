"""Uploads: counted, complete or absent, and removed when nobody needs them."""

import errno
import os
import socket
import time

import httpx
import pytest

from tests.serve.conftest import Running, Serve, error_of, eventually
from tests.serve.jobs.conftest import submit, upload
from voxmatrix.serve.jobs.uploads import Uploads


def folders(server: Running) -> list[str]:
    folder = server.services.jobs.folder("uploads")
    return [path.name for path in folder.iterdir()] if folder.is_dir() else []


def test_a_file_is_kept_until_it_is_removed(server: Running) -> None:
    content = os.urandom(3_000_000)
    answer = httpx.post(f"{server.url}/v1/files?name=a.txt", content=content).json()
    assert (answer["name"], answer["bytes"]) == ("a.txt", 3_000_000)
    assert server.services.jobs.uploads.get(answer["id"]).path.read_bytes() == content
    assert httpx.delete(f"{server.url}/v1/files/{answer['id']}").status_code == 200
    assert httpx.delete(f"{server.url}/v1/files/{answer['id']}").status_code == 404
    assert folders(server) == []


def test_a_job_keeps_its_file_when_the_upload_is_removed(server: Running) -> None:
    file = upload(server, "text.txt", b"Hello.")
    job = submit(server, "speech", file=file)
    httpx.delete(f"{server.url}/v1/files/{file}")
    assert (server.services.jobs.folder(job) / "input" / "text.txt").read_bytes() == b"Hello."


@pytest.mark.parametrize("declared", [True, False])
def test_a_file_that_is_too_large_leaves_nothing(serve: Serve, declared: bool) -> None:
    server = serve(max_upload_bytes=200_000)
    content = b"x" * 200_001
    answer = httpx.post(f"{server.url}/v1/files?name=a", content=content if declared else iter([content]))
    assert answer.status_code == 413
    assert folders(server) == []
    assert upload(server, "a", content[1:])


def test_a_client_that_leaves_in_the_middle_leaves_nothing(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"POST /v1/files?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\nabc")
        eventually(lambda: len(folders(server)) == 1)
    eventually(lambda: folders(server) == [])
    assert server.requests(1)[0]["ended_by"] == "client"


def test_an_empty_file_is_refused(server: Running) -> None:
    assert httpx.post(f"{server.url}/v1/files?name=a", content=b"").status_code == 400
    assert httpx.post(f"{server.url}/v1/files", content=b"x").status_code == 400
    assert folders(server) == []


def test_a_full_disk_is_said_and_leaves_nothing(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("voxmatrix.serve.jobs.uploads.os.fsync", full)
    answer = httpx.post(f"{server.url}/v1/files?name=a", content=b"x")
    assert (answer.status_code, error_of(answer)["code"]) == (507, "insufficient_storage")
    assert folders(server) == []
    monkeypatch.undo()
    assert upload(server, "a", b"x")


def test_old_uploads_are_removed_and_a_clock_that_is_set_right_removes_none(server: Running) -> None:
    old, new = upload(server, "old", b"x"), upload(server, "new", b"x")
    long_ago = time.time() - 25 * 3600
    folder = server.services.jobs.folder("uploads")
    os.utime(folder / old, (long_ago, long_ago))
    server.services.jobs.uploads.tidy()
    assert set(folders(server)) == {old, new}  # it was sent a moment ago
    Uploads(folder).tidy()  # as after a restart
    assert folders(server) == [new]
