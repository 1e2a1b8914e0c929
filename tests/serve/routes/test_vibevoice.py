"""VibeVoice's protocol, spoken by a WebSocket client."""

import json
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.bundled import BUNDLED
from tests.serve.conftest import SENTENCE, Running, Serve, copy_voice, eventually, fail_after
from voxmatrix.config import home
from voxmatrix.serve.routes import vibevoice

LONG = " ".join([SENTENCE] * 40)


def opened(server: Running, headers: dict[str, str] | None = None, **query: Any) -> ClientConnection:
    url = f"ws://127.0.0.1:{server.port}/stream?{urlencode(query)}"
    return connect(url, additional_headers=headers, compression=None)


def received(client: ClientConnection) -> tuple[list[dict[str, Any]], bytes, int]:
    """The messages of the log, the audio, and the code that the server closed with."""
    logs, audio = [], b""
    try:
        while True:
            message = client.recv(60)
            if isinstance(message, str):
                logs.append(json.loads(message))
            else:
                audio += message
    except ConnectionClosed as closed:
        assert closed.rcvd is not None
        return logs, audio, closed.rcvd.code


def test_the_voices_are_listed_for_its_page(server: Running) -> None:
    assert server.get("/config").json() == {"voices": ["random", *BUNDLED], "default_voice": "random"}


def test_a_text_is_spoken_and_the_progress_told_as_its_page_expects(server: Running) -> None:
    with opened(server, text=f"{SENTENCE} {SENTENCE}", cfg="1.250", steps=5, voice="random") as client:
        logs, audio, code = received(client)
    assert code == 1000
    assert {log["type"] for log in logs} == {"log"}
    events = [log["event"] for log in logs]
    assert events[0] == "backend_request_received"
    assert logs[0]["data"] == {"text_length": 89, "cfg_scale": 1.25, "inference_steps": 5, "voice": "random"}
    assert events[1:3] == ["model_progress", "backend_first_chunk_sent"]
    assert events[-1] == "backend_stream_complete"
    assert len(audio) > 24_000
    progress = [log["data"] for log in logs if log["event"] == "model_progress"]
    assert progress[-1]["generated_sec"] == pytest.approx(len(audio) / 48_000)
    assert sum(data["chunk_sec"] for data in progress) == pytest.approx(len(audio) / 48_000)
    assert len(logs[0]["timestamp"]) == len("2026-01-01 00:00:00.000")
    (facts,) = server.requests(1)
    assert (facts["path"], facts["status"], facts["voice"], facts["ended_by"]) == ("/stream", 101, "random", None)


def test_a_text_too_long_for_a_url_is_the_first_message(server: Running) -> None:
    with opened(server, voice="random") as client:
        client.send(SENTENCE)
        logs, audio, code = received(client)
    assert code == 1000
    assert logs[0]["data"]["text_length"] == len(SENTENCE)
    assert len(audio) > 24_000


def test_a_speaker_can_be_named_and_an_unknown_voice_is_the_default_one(serve: Serve, make_onnx: Any) -> None:
    copy_voice(make_onnx("tiny", 3, "text"), home() / "voices" / "choir.onnx")
    server = serve()
    for name in ("choir:bo", "nobody"):
        with opened(server, text=SENTENCE, voice=name, cfg="nan", steps="-1") as client:
            logs, _, code = received(client)
        assert code == 1000
        assert logs[0]["data"]["cfg_scale"] == 1.5
        assert logs[0]["data"]["inference_steps"] is None
    assert [facts["voice"] for facts in server.requests(2)] == ["choir", "random"]


def test_a_busy_server_says_so_and_closes_with_1013(serve: Serve) -> None:
    server = serve(queue=1)

    def ask(_: int) -> tuple[list[dict[str, Any]], bytes, int]:
        with opened(server, text=LONG) as client:
            return received(client)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))
    assert {code for _, _, code in answers} == {1000, 1013}
    for logs, audio, code in answers:
        assert bool(audio) == (code == 1000)
        assert logs[-1]["event"] == ("backend_stream_complete" if code == 1000 else "backend_busy")


@pytest.mark.parametrize("text", ["", "你好", "x" * 5000])
def test_a_text_that_cannot_be_spoken_is_an_error(server: Running, text: str) -> None:
    with opened(server, text=text) as client:
        logs, audio, code = received(client)
    assert (logs[-1]["event"], audio, code) == ("generation_error", b"", 1008)
    assert logs[-1]["data"]["message"]


def test_a_failure_in_the_middle_is_visible(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after(monkeypatch, 3)
    with opened(server, text=LONG) as client:
        logs, audio, code = received(client)
    assert audio
    assert (logs[-1]["event"], code) == ("generation_error", 1011)
    assert "device" not in logs[-1]["data"]["message"]
    server.requests(1)
    assert ("error", "RuntimeError: the device is gone") in [
        (event, facts.get("problem")) for event, facts in server.lines
    ]


def test_the_computation_ends_when_the_client_leaves(serve: Serve, computed: list[int]) -> None:
    server = serve(max_input=100_000)
    with opened(server) as client:
        client.send(" ".join([SENTENCE] * 1500))
        while isinstance(client.recv(60), str):
            pass
    (facts,) = server.requests(1)
    assert facts["ended_by"] == "client"
    assert len(computed) < 1500
    eventually(lambda: "voxmatrix_computing 0.0" in server.get("/metrics").text)


def test_a_client_without_a_text_is_not_waited_for(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vibevoice, "FIRST_MESSAGE_SECONDS", 0.1)
    with opened(server) as client:
        logs, _, code = received(client)
    assert (logs[-1]["event"], code) == ("generation_error", 1008)
    with opened(server) as client:
        client.close()
    assert server.requests(2)[1]["ended_by"] == "client"


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_a_page_of_another_site_cannot_connect(server: Running, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        opened(server, {"Origin": origin}, text=SENTENCE)
    assert refused.value.response.status_code == 403
    assert json.loads(refused.value.response.body or b"")["error"]["code"] == "cross_site"


def test_our_own_page_can_connect(server: Running) -> None:
    with opened(server, {"Origin": server.url}, text="Hello.") as client:
        assert received(client)[2] == 1000


def test_a_key_is_needed_if_the_server_has_keys(serve: Serve) -> None:
    server = serve(key_digests=frozenset([sha256(b"right").digest()]))
    with pytest.raises(InvalidStatus) as refused:
        opened(server, text=SENTENCE)
    assert refused.value.response.status_code == 401
    with opened(server, {"Authorization": "Bearer right"}, text="Hello.") as client:
        assert received(client)[2] == 1000
