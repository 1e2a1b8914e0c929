"""A server in a thread, on a free port, with voices of random weights."""

import functools
import json
import queue
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx._transports.default as httpx_transports
import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401
from voxmatrix.config import home
from voxmatrix.piper.engines.onnx import SplitModelEngine
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.server import HttpServer
from voxmatrix.serve.services import Services
from voxmatrix.serve.settings import ServeSettings

# Each httpx.get() reads all root certificates, which takes 20 ms, to talk to a server that has none.
httpx_transports.create_ssl_context = functools.cache(httpx_transports.create_ssl_context)

SENTENCE = "The quick brown fox jumps over the lazy dog."


def eventually(condition: Callable[[], bool], seconds: float = 300.0) -> None:
    """Wait until the condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@dataclass
class Running:
    """A server that answers."""

    url: str
    port: int
    services: Services
    lines: list[tuple[str, dict[str, Any]]]
    wyoming_port: int = 0

    def requests(self, count: int) -> list[dict[str, Any]]:
        """What was logged of the first requests. A line follows its answer."""
        eventually(lambda: len([1 for event, _ in self.lines if event == "request"]) >= count)
        return [facts for event, facts in self.lines if event == "request"][:count]

    def post(self, path: str, content: Any, **more: Any) -> httpx.Response:
        return httpx.post(self.url + path, json=content, timeout=120, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return httpx.get(self.url + path, timeout=120, **more)

    def speak(self, **fields: Any) -> httpx.Response:
        body = {"model": "tts-1", "input": SENTENCE, "voice": "alloy", "response_format": "wav", **fields}
        return self.post("/v1/audio/speech", {name: value for name, value in body.items() if value is not None})

    def speak_with(self, headers: dict[str, str]) -> httpx.Response:
        return self.post("/v1/audio/speech", {"input": "Hello."}, headers=headers)


Serve = Callable[..., Running]


@contextmanager
def running(settings: ServeSettings) -> Iterator[Running]:
    """The server, in a thread, which handles no signals."""
    lines: list[tuple[str, dict[str, Any]]] = []
    server = HttpServer(settings, lambda event, facts: lines.append((event, dict(facts))))
    urls: queue.SimpleQueue[str] = queue.SimpleQueue()
    thread = threading.Thread(target=server.run, args=[urls.put])
    thread.start()
    try:
        url = urls.get(timeout=60)
        wyoming = "0" if settings.wyoming_port is None else urls.get(timeout=60).rpartition(":")[2]
        yield Running(url, int(url.rpartition(":")[2]), server.services, lines, int(wyoming))
    finally:
        server.stop()
        thread.join(30)
        assert not thread.is_alive()


def _settings(**settings: Any) -> ServeSettings:
    return ServeSettings(**{"port": 0, "device": DeviceRequest(kind="cpu"), "threads": 1, **settings})


@pytest.fixture(scope="session")
def voice(make_onnx: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    """A voice that needs no espeak-ng."""
    return copy_voice(make_onnx("tiny", phoneme_type="text"), tmp_path_factory.mktemp("served") / "random.onnx")


def copy_voice(source: Path, target: Path) -> Path:
    """Copy both files of a voice."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    shutil.copy(f"{source}.json", f"{target}.json")
    return target


@pytest.fixture(scope="session")
def prepared(voice: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is kept of the voice once it has been opened."""
    folder = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("VOXMATRIX_HOME", str(folder))
        with running(_settings(voice=voice)):
            pass
    return folder / "cache" / "prepared"


@pytest.fixture
def serve(voice: Path, prepared: Path) -> Iterator[Serve]:
    """Start servers, which end with the test. Their voice has been opened before."""
    shutil.copytree(prepared, home() / "cache" / "prepared", dirs_exist_ok=True)
    with ExitStack() as stack:

        def start(**settings: Any) -> Running:
            return stack.enter_context(running(_settings(**{"voice": voice, **settings})))

        yield start


@pytest.fixture
def server(serve: Serve) -> Running:
    """A server with the usual settings."""
    return serve()


@pytest.fixture(scope="module")
def shared(voice: Path) -> Iterator[Running]:
    """One server for all rows of a contract. It sees the home of each test."""
    with running(_settings(voice=voice)) as started:
        yield started


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sentences that were begun."""
    begun: list[int] = []
    begin = SplitModelEngine.begin

    def counted(self: SplitModelEngine, ids: Any, *others: Any) -> Any:
        begun.append(len(ids))
        return begin(self, ids, *others)

    monkeypatch.setattr(SplitModelEngine, "begin", counted)
    return begun


def fail_after(monkeypatch: pytest.MonkeyPatch, sentences: int, heard: threading.Event | None = None) -> None:
    """The voice fails after this many sentences, and not before the first of them was heard."""
    begin = SplitModelEngine.begin
    left = iter(range(sentences))

    def failing(self: SplitModelEngine, ids: Any, *others: Any) -> Any:
        if next(left, None) is None:
            assert heard is None or heard.wait(60)
            raise RuntimeError("the device is gone")
        return begin(self, ids, *others)

    monkeypatch.setattr(SplitModelEngine, "begin", failing)


def raw(port: int, data: bytes, seconds: float = 20.0) -> bytes:
    """Send bytes as they are, and return what comes back until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(data)
        received = b""
        while block := connection.recv(65536):
            received += block
            if b'"error"' in received and received.endswith(b"}"):
                break
        return received


def error_of(response: httpx.Response) -> dict[str, Any]:
    """The error of an answer, whose form is checked."""
    assert response.headers["content-type"] == "application/json"
    content = json.loads(response.content)
    assert set(content) == {"error"}
    assert set(content["error"]) == {"message", "type", "param", "code"}
    return content["error"]
