"""A server that answers as vLLM-Omni, Kokoro-FastAPI and others do, and as they fail."""

import base64
import http.server
import io
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from voxmatrix.remote.servers import RemoteVoice, Server, save_server
from voxmatrix.speak.wav import pcm

RATE_HZ = 24_000
#: One request's answer.
Answer = Callable[[Any], None]


def tone(text: str, rate_hz: int = RATE_HZ) -> Any:
    """What the server says: 10 ms a character."""
    time = np.arange(len(text) * rate_hz // 100, dtype=np.float32) / np.float32(rate_hz)
    return (0.3 * np.sin(2 * np.pi * 220 * time)).astype(np.float32)


def encoded(text: str, format: str = "wav", rate_hz: int = RATE_HZ) -> bytes:
    samples = tone(text, rate_hz)
    if format == "pcm":
        return pcm(samples)
    file = io.BytesIO()
    soundfile.write(file, samples, rate_hz, format=format.upper())
    return file.getvalue()


@dataclass
class Stub:
    """The server. The answers of its queue come first, then it speaks."""

    url: str = ""
    voices: Any = field(default_factory=lambda: {"voices": ["alloy"]})
    queue: list[Answer] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    key: str = ""
    dead: bool = False


def whole(content: bytes, kind: str = "audio/wav", status: int = 200, **headers: str) -> Answer:
    def answer(handler: Any) -> None:
        handler.send_response(status)
        given = {"Content-Type": kind, "Content-Length": str(len(content)), **headers}
        for name, value in given.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def chatted(text: str) -> Answer:
    """What a model says, as OpenAI's chats send it."""
    answer = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return whole(json.dumps(answer).encode(), "application/json")


def chunked(content: bytes, kind: str = "audio/wav", *, cut: bool = False) -> Answer:
    """As Kokoro-FastAPI streams; without the last chunk if it is cut."""

    def answer(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for at in range(0, len(content), 1000):
            part = content[at : at + 1000]
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        handler.wfile.write(b"" if cut else b"0\r\n\r\n")

    return answer


def events(content: bytes, *, end: str = "speech.audio.done") -> Answer:
    """As vLLM-Omni and OpenAI send events."""
    parts = [content[at : at + 3000] for at in range(0, len(content), 3000)]
    sent = [{"type": "speech.audio.delta", "audio": base64.b64encode(part).decode()} for part in parts]
    sent += [{"type": end}] if end else []
    lines = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in sent)
    return chunked(lines.encode(), "text/event-stream; charset=utf-8")


@contextmanager
def stubbed(context: ssl.SSLContext | None = None) -> Iterator[Stub]:
    state = Stub()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: dict[str, Any]) -> None:
            self.close_connection = True
            key = self.headers.get("Authorization")
            state.keys.append(key)
            if state.dead:
                return
            if state.key and key != f"Bearer {state.key}":
                whole(b'{"detail": "Not authenticated"}', "application/json", 401)(self)
            elif self.path == "/v1/audio/voices":
                whole(json.dumps(state.voices).encode(), "application/json", 200 if state.voices else 404)(self)
            elif self.path == "/v1/audio/speech":
                state.bodies.append(body)
                said = encoded(body["input"], body["response_format"])
                (state.queue.pop(0) if state.queue else whole(said))(self)
            elif self.path == "/v1/chat/completions" and state.queue:
                state.bodies.append(body)
                state.queue.pop(0)(self)
            else:
                whole(b"{}", "application/json", 404)(self)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        state.url = f"http{'s' if context else ''}://127.0.0.1:{server.server_port}/v1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield state
        finally:
            server.shutdown()


@pytest.fixture
def stub() -> Iterator[Stub]:
    with stubbed() as state:
        yield state


def saved(stub: Stub, voice: str = "alloy", **settings: Any) -> Path:
    """The file of a voice of the server, which was added as `there`."""
    known = RemoteVoice(server="there", voice=voice, model="tts-1", rate_hz=RATE_HZ, language="en-us")
    save_server("there", Server(**{"url": stub.url, "retry_seconds": 0.0, **settings}), [known])
    return known.path()
