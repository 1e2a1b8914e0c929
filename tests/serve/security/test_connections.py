"""Clients that connect and do not ask, or ask and do not listen."""

import gc
import socket
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from tests.serve.conftest import SENTENCE, Running, eventually, raw
from voxmatrix.serve.routes import vibevoice
from voxmatrix.serve.security import connections, middleware
from voxmatrix.serve.security.connections import WebSocketConnection

HEAD = b"POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def dripped(connection: socket.socket, drop: bytes, most: int = 2000) -> int:
    """Send the drop every 10 ms until the server closes the connection; how often it was sent."""
    connection.settimeout(0.01)
    for number in range(most):
        try:
            connection.sendall(drop)
            if connection.recv(65536) == b"":
                return number
        except TimeoutError:
            continue
        except OSError:
            return number
    return most


@pytest.fixture
def impatient(server: Running, monkeypatch: pytest.MonkeyPatch) -> Running:
    monkeypatch.setattr(connections, "HEAD_TIMEOUT_SECONDS", 0.2)
    return server


@pytest.mark.parametrize(
    "begun", [b"", b"G", GET, GET + b"\r\n" + GET], ids=["nothing", "a letter", "half", "the second"]
)
def test_a_head_that_never_ends_is_not_waited_for(impatient: Running, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", impatient.port)) as connection:
        connection.sendall(begun)
        assert dripped(connection, b"X" if begun else b"") < 2000
    assert impatient.get("/healthz").status_code == 200


def test_a_body_that_nobody_wants_does_not_keep_a_connection(impatient: Running) -> None:
    with socket.create_connection(("127.0.0.1", impatient.port)) as connection:
        connection.sendall(b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert dripped(connection, b"1\r\nx\r\n") < 2000


def test_a_long_answer_is_not_cut(impatient: Running) -> None:
    answer = impatient.speak(input=" ".join([SENTENCE] * 20))
    assert answer.status_code == 200
    assert impatient.requests(1)[0]["ended_by"] is None


@pytest.mark.parametrize("length", [b"Content-Length: 100\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n"])
def test_a_body_that_stalls_is_not_waited_for(server: Running, monkeypatch: pytest.MonkeyPatch, length: bytes) -> None:
    monkeypatch.setattr(middleware, "BODY_TIMEOUT_SECONDS", 0.2)
    answer = raw(server.port, HEAD + length)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in answer.lower()


def test_more_connections_than_it_holds_are_closed_at_once(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 5)
    with ExitStack() as stack:
        many = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(20)]
        closed = 0
        for one in many[5:]:
            one.settimeout(20)
            try:
                closed += one.recv(1) == b""
            except ConnectionError:
                closed += 1
        assert closed == 15

    def answers() -> bool:
        try:
            return bool(raw(server.port, GET + b"Connection: close\r\n\r\n"))
        except ConnectionError:
            return False  # it has not noticed yet that they left

    eventually(answers)


def handshake(port: int, path: str = "/stream", host: str = "localhost") -> socket.socket:
    """A WebSocket that reads nothing but the answer to its request."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    upgrade = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}\r\n"
    connection.sendall(upgrade.encode())
    return connection


def test_a_websocket_to_another_hosts_name_is_refused(server: Running) -> None:
    with handshake(server.port, host="evil.example") as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 403")


def test_an_unknown_websocket_is_refused(server: Running) -> None:
    with handshake(server.port, "/elsewhere") as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 403")


def test_a_flood_of_silent_websockets_is_closed(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vibevoice, "FIRST_MESSAGE_SECONDS", 0.3)
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(handshake(server.port))
        assert server.speak().status_code == 200
        asked = [facts for facts in server.requests(101) if facts["path"] == "/stream"]
    assert len(asked) == 100


def test_a_flood_of_messages_neither_stops_nor_fills_the_server(server: Running) -> None:
    with connect(f"ws://127.0.0.1:{server.port}/stream", compression=None) as client:
        client.send(SENTENCE)
        for _ in range(500):
            client.send("x" * 10_000)
        assert bytes in [type(message) for message in client]
        assert client.close_code == 1000


def test_a_message_that_is_too_long_ends_the_connection(server: Running) -> None:
    with connect(f"ws://127.0.0.1:{server.port}/stream", compression=None) as client:
        client.send("x" * 2**20)
        with pytest.raises(ConnectionClosedError):
            client.recv(60)
        assert client.close_code == 1009


def test_pings_whose_answers_nobody_reads_do_not_fill_the_memory(server: Running) -> None:
    ping = b"\x89" + bytes([0x80 | 125]) + b"\0\0\0\0" + b"x" * 125  # the mask is zero
    with handshake(server.port) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 101")
        for _ in range(16):  # 16 MB, more than the sockets hold
            connection.sendall(ping * 8000)
        (protocol,) = [one for one in gc.get_objects() if type(one) is WebSocketConnection and not one.disconnected]
        assert protocol.transport.get_write_buffer_size() < 2**20
    assert server.speak().status_code == 200
