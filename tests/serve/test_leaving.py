"""Clients that leave, clients that read slowly, failures in the middle, and full queues."""

import asyncio
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest

from tests.serve.conftest import SENTENCE, Running, Serve, error_of, eventually, fail_after
from voxmatrix.piper.engines.onnx import SplitModelEngine

LONG = " ".join([SENTENCE] * 20)


def computing_threads() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith(("speak", "text", "encoded"))]


def encoders() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "ffmpeg" in child.name()]


def request(text: str, name: str = "wav", more: str = "") -> bytes:
    body = json.dumps({"model": "tts-1", "voice": "alloy", "input": text, "response_format": name}).encode()
    head = f"POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize("name", ["wav", "mp3"])
def test_nothing_is_left_of_an_answer_whose_client_leaves(serve: Serve, computed: list[int], name: str) -> None:
    server = serve(max_input=100_000)
    before = psutil.Process().num_fds()
    text = " ".join([SENTENCE] * 2000)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request(text, name))
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    eventually(lambda: not computing_threads() and not encoders())
    begun = len(computed)
    assert begun < 2000
    assert server.speak().status_code == 200
    assert len(computed) == begun + 1
    eventually(lambda: psutil.Process().num_fds() <= before + 2)
    assert [facts["ended_by"] for facts in server.requests(2)] == ["client", None]


def test_a_client_that_leaves_the_queue_is_not_computed_for(serve: Serve, computed: list[int]) -> None:
    server = serve(max_input=100_000)
    busy = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(2)]
    for connection in busy:
        connection.sendall(request(" ".join([SENTENCE] * 1000)))
        connection.recv(100)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as waiting:
        waiting.sendall(request("Hello there, you who wait."))
        eventually(lambda: 'voxmatrix_queue_length{voice="random"} 1.0' in server.get("/metrics").text)
    eventually(lambda: 'voxmatrix_queue_length{voice="random"} 0.0' in server.get("/metrics").text)
    for connection in busy:
        connection.close()
    eventually(lambda: not computing_threads())
    assert len(set(computed)) == 1


def test_a_full_queue_is_told_when_to_come_again(serve: Serve) -> None:
    server = serve(queue=1)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: server.speak(input=LONG), range(8)))
    statuses = {answer.status_code for answer in answers}
    assert statuses == {200, 429}
    lengths = {len(answer.content) > 500_000 for answer in answers if answer.status_code == 200}
    assert lengths == {True}
    for answer in answers:
        if answer.status_code == 429:
            assert int(answer.headers["retry-after"]) >= 1
            error = error_of(answer)
            assert (error["type"], error["code"]) == ("requests", "rate_limit_exceeded")
    assert server.speak().status_code == 200


def test_a_slow_reader_holds_up_nobody_and_gets_everything(server: Running) -> None:
    readers = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(4)]
    for reader in readers:
        reader.sendall(request(LONG, more="Connection: close\r\n"))
    assert server.speak().status_code == 200  # while they have not read a byte
    for reader in readers:
        with reader, reader.makefile("rb") as answer:
            received = answer.read()
        assert received.endswith(b"\r\n0\r\n\r\n")
        assert len(received) > 500_000


def test_a_long_sentence_is_sent_while_it_is_computed(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = SplitModelEngine._segment
    heard = threading.Event()

    def waiting(self: SplitModelEngine, inputs: Any, between: Any, size: Any, start: int, end: int) -> Any:
        if start > between.shape[-1] // 2:
            assert heard.wait(60)
        return segment(self, inputs, between, size, start, end)

    monkeypatch.setattr(SplitModelEngine, "_segment", waiting)
    text = "the quick brown fox jumps over the lazy dog " * 8
    body = {"model": "tts-1", "voice": "alloy", "input": text, "response_format": "wav"}
    with httpx.stream("POST", f"{server.url}/v1/audio/speech", json=body, timeout=60) as answer:
        pieces = answer.iter_raw()
        sound = next(pieces)
        heard.set()
        sound += b"".join(pieces)
    (facts,) = server.requests(1)
    assert (len(sound) - 44) / 2 / 16_000 == pytest.approx(facts["audio_seconds"], abs=0.01)


@pytest.mark.parametrize("name", ["wav", "mp3"])
def test_a_failure_in_the_middle_breaks_the_connection(
    server: Running, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    heard = threading.Event()
    fail_after(monkeypatch, 10, heard)
    body = {"model": "tts-1", "voice": "alloy", "input": LONG, "response_format": name}
    with (
        pytest.raises(httpx.RemoteProtocolError),
        httpx.stream("POST", f"{server.url}/v1/audio/speech", json=body, timeout=60) as answer,
    ):
        for _ in answer.iter_raw():
            heard.set()
    assert not encoders()
    server.requests(1)
    assert [facts["problem"] for event, facts in server.lines if event == "error"] == [
        "RuntimeError: the device is gone"
    ]


def test_a_failure_in_the_middle_is_an_event(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after(monkeypatch, 3)
    received = ""
    with (
        pytest.raises(httpx.RemoteProtocolError),
        httpx.stream(
            "POST", f"{server.url}/v1/audio/speech", timeout=60,
            json={"model": "tts-1", "voice": "alloy", "input": LONG, "stream_format": "sse", "response_format": "pcm"},
        ) as answer,
    ):  # fmt: skip
        for text in answer.iter_text():
            received += text
    last = received.strip().split("\n\n")[-1]
    assert last.startswith("event: error\ndata: ")
    assert json.loads(last.partition("data: ")[2])["error"]["type"] == "server_error"
    assert "speech.audio.done" not in received


def test_a_failure_before_the_first_byte_is_an_error(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after(monkeypatch, 0)
    answer = server.speak()
    assert answer.status_code == 500
    assert error_of(answer)["type"] == "server_error"
    assert "device" not in answer.text


def test_an_encoder_that_fails_is_an_error_or_breaks_the_connection(server: Running) -> None:
    def kill() -> None:
        eventually(lambda: bool(encoders()))
        for process in encoders():
            process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        status = server.speak(input=LONG, response_format="mp3").status_code
    except httpx.RemoteProtocolError:
        status = None  # it was killed after the first byte
    killer.join()
    assert status in (None, 500)
    assert server.speak(response_format="mp3").status_code == 200


def test_stopping_ends_running_answers(serve: Serve) -> None:
    server = serve(max_input=1_000_000)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request(" ".join([SENTENCE] * 10_000)))
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        # The fixture stops the server, and fails unless its thread ends.


def test_many_clients_get_whole_answers_or_429(serve: Serve) -> None:
    server = serve(queue=8)

    async def all_of_them() -> list[httpx.Response]:
        async with httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=64)) as client:
            body = {"model": "tts-1", "voice": "alloy", "input": SENTENCE, "response_format": "pcm", "speed": 2}
            return await asyncio.gather(*(client.post(f"{server.url}/v1/audio/speech", json=body) for _ in range(64)))

    answers = asyncio.run(all_of_them())
    complete = [len(answer.content) for answer in answers if answer.status_code == 200]
    assert {answer.status_code for answer in answers} <= {200, 429}
    assert len(complete) >= 8
    assert min(complete) > 0.5 * max(complete)
