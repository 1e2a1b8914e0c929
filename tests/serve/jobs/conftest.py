"""Jobs of a server in a thread: asked for, and waited for."""

from typing import Any

from tests.serve.conftest import Running, eventually

ENDED = ("done", "failed", "cancelled")
#: A long text for the machine of the tests: it is spoken for many seconds.
LONG = "The quick brown fox jumps over the lazy dog. " * 3000


def submit(server: Running, kind: str, **fields: Any) -> str:
    """Queue a job, and return its id."""
    answer = server.post("/v1/jobs", {"kind": kind, **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def read(server: Running, job: str) -> dict[str, Any]:
    return dict(server.get(f"/v1/jobs/{job}").json())


def wait_for(server: Running, job: str, *states: str, seconds: float = 120.0) -> dict[str, Any]:
    """The job, once it is in one of these states."""
    eventually(lambda: read(server, job)["state"] in (states or ENDED), seconds)
    return read(server, job)


def upload(server: Running, name: str, content: bytes) -> str:
    """Upload a file, and return its id."""
    import httpx

    answer = httpx.post(f"{server.url}/v1/files", params={"name": name}, content=content, timeout=60)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def download(server: Running, job: str, name: str) -> bytes:
    answer = server.get(f"/v1/jobs/{job}/files/{name}")
    assert answer.status_code == 200, answer.text
    return answer.content
