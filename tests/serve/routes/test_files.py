"""A book is inspected in a process that has no secret, and reads little beside the book."""

from typing import Any

import pytest

from tests.serve.conftest import Running
from tests.serve.jobs.conftest import upload
from voxmatrix import processes
from voxmatrix.config import home
from voxmatrix.serve import book_process


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
    book = upload(server, "a.txt", b"CHAPTER 1\n\nOne is here.\n")
    answer = server.post("/v1/books/inspect", {"file": book} | ({"voice": named} if named else {}))
    assert answer.status_code == 200, answer.text
    assert answer.json()["chapters"][0]["sentences"]
    assert ("speed" in answer.json()) == (named is not None)
    (options,) = started
    assert "a secret" not in options["environment"].values()
    for secret in ("keys.txt", "remotes.toml", "recordings", "jobs/server/jobs.sqlite"):
        assert not any((home() / secret).absolute().is_relative_to(path) for path in options["limits"].reads), secret
    assert not any(home().absolute().is_relative_to(path) for path in options["limits"].writes)
