"""A book is inspected in a process that has no secret, and reads little beside the book; no other book waits for it."""

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.serve.conftest import Running, eventually
from tests.serve.jobs.conftest import upload
from voxmatrix import processes
from voxmatrix.config import home
from voxmatrix.processes import EndedError
from voxmatrix.serve import book_process
from voxmatrix.speak import speed
from voxmatrix.speak.speed import VoiceSpeed

BOOK = b"CHAPTER 1\n\nOne is here.\n"


@pytest.mark.parametrize("named", [None, "random"])
def test_an_inspection_has_no_secret_and_reads_little(
    server: Running, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    started: list[dict[str, Any]] = []

    def run(*words: Any, **options: Any) -> Any:
        started.append(options)
        return processes.run(*words, **options)

    monkeypatch.setattr(book_process, "run", run)
    monkeypatch.setenv("VOXMATRIX_KEY", "a secret")
    monkeypatch.setenv("HF_TOKEN", "a secret")
    book = upload(server, "a.txt", BOOK)
    answer = server.post("/v1/books/inspect", {"file": book} | ({"voice": named} if named else {}))
    assert answer.status_code == 200, answer.text
    assert answer.json()["chapters"][0]["sentences"]
    assert ("speed" in answer.json()) == (named is not None)
    assert len(started) == (2 if named else 1)
    for options in started:
        assert "a secret" not in options["environment"].values()
        for secret in ("keys.txt", "remotes.toml", "recordings", "jobs/server/jobs.sqlite"):
            assert not any((home() / secret).absolute().is_relative_to(path) for path in options["limits"].reads)
        assert not any(home().absolute().is_relative_to(path) for path in options["limits"].writes)


def replaced_run(monkeypatch: pytest.MonkeyPatch, command: str, instead: Callable[..., Any]) -> list[str]:
    """Do something else instead of one command. Returns what will be started."""
    started: list[str] = []

    def run(words: Sequence[str], **options: Any) -> Any:
        said = " ".join(words)
        started.append("voices speed" if " voices speed " in said else "book inspect")
        return instead(**options) if started[-1] == command else processes.run(words, **options)

    monkeypatch.setattr(book_process, "run", run)
    return started


def test_a_voice_is_measured_once_and_anew_after_a_book_was_opened(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    measuring, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def measured(unwanted: Callable[[], bool], **_options: Any) -> Any:
        measuring.set()
        while not go_on.wait(0.01):
            if unwanted():
                ended.set()
                raise EndedError
        speed._keep(server.services.catalogue.default, VoiceSpeed(slow=0.5, fast=3))
        return subprocess.CompletedProcess([], 0, b'{"speed": 0.5}\n', b"")

    started = replaced_run(monkeypatch, "voices speed", measured)
    answers: list[Any] = []
    waiting = [
        threading.Thread(target=lambda: answers.append(server.post("/v1/voices/speed", {}).json())) for _ in range(3)
    ]
    for one in waiting:
        one.start()
    for number in range(2):
        assert measuring.wait(60)
        book = upload(server, f"{number}.txt", BOOK)
        assert server.post("/v1/books/inspect", {"file": book}).json()["chapters"]
        assert ended.wait(60)
        measuring.clear()
        ended.clear()
    assert not answers
    go_on.set()
    for one in waiting:
        one.join()
    assert answers == [{"voice": "random", "speed": 0.5, "speed_if_free": 3.0}] * 3
    assert started.count("voices speed") == 3


def test_who_leaves_gives_up_the_place_and_its_process_is_ended(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []

    def endless(unwanted: Callable[[], bool], **_options: Any) -> Any:
        eventually(unwanted)
        ended.append(True)
        raise EndedError

    started = replaced_run(monkeypatch, "book inspect", endless)
    book = upload(server, "a.txt", BOOK)
    body = json.dumps({"file": book}).encode()
    head = "POST /v1/books/inspect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with ExitStack() as stack:
        for _ in range(4):  # two are read, and two wait for a place
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        eventually(lambda: len(started) == 2)
    assert [facts["ended_by"] for facts in server.requests(5)[1:]] == ["client"] * 4
    eventually(lambda: len(ended) == len(started))
    assert all(ended)
    monkeypatch.setattr(book_process, "run", processes.run)
    assert server.post("/v1/books/inspect", {"file": book}).status_code == 200


def test_an_opened_book_is_read_once_and_a_draft_until_something_is_made_of_it(
    server: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = replaced_run(monkeypatch, "nothing", lambda: None)
    upload(server, "no-book.zip", b"PK")
    book = upload(server, "a.txt", BOOK)
    assert server.get("/v1/books/drafts").json() == {"data": []}
    found = server.post("/v1/books/inspect", {"file": book}).json()
    assert server.post("/v1/books/inspect", {"file": book}).json() == found
    assert len(started) == 1
    (draft,) = server.get("/v1/books/drafts").json()["data"]
    assert (draft["id"], draft["name"], draft["chapters"]) == (book, "a.txt", 1)
    assert draft["seconds"] == found["chapters"][0]["seconds"] and draft["opened"] > 0
    server.services.jobs.uploads.take(book, tmp_path)  # as a job does
    assert server.get("/v1/books/drafts").json() == {"data": []}


def test_a_voice_that_is_not_there_is_not_measured(server: Running) -> None:
    answer = server.post("/v1/voices/speed", {"voice": "nobody"})
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "voice"
