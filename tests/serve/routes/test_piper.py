"""The routes of piper-tts' own server."""

import io
from hashlib import sha256
from typing import Any

import httpx
import pytest
import soundfile

from tests.serve.conftest import SENTENCE, Running, Serve, copy_voice, error_of
from voxmatrix.config import home


def test_a_text_becomes_a_complete_wav_file(server: Running) -> None:
    answer = server.post("/synthesize", {"text": f"{SENTENCE} {SENTENCE}"})
    assert answer.headers["content-type"] == "audio/wav"
    assert int.from_bytes(answer.content[40:44], "little") == len(answer.content) - 44
    samples, rate_hz = soundfile.read(io.BytesIO(answer.content))
    assert rate_hz == 16000
    assert len(samples) > rate_hz


def test_scales_and_speakers_are_used(serve: Serve, make_onnx: Any) -> None:
    copy_voice(make_onnx("tiny", 3, "text"), home() / "voices" / "choir.onnx")
    server = serve()
    still: dict[str, Any] = {"text": SENTENCE, "voice": "choir", "noise_scale": 0, "noise_w_scale": "0"}
    anna, bo, second, unknown, both = (
        server.post("/synthesize", {**still, **who}).content
        for who in ({}, {"speaker": "bo"}, {"speaker_id": 1}, {"speaker": "zoe"}, {"speaker": "anna", "speaker_id": 1})
    )
    assert bo == second == both != anna == unknown
    assert len(server.post("/synthesize", {**still, "length_scale": 2}).content) > 1.5 * len(anna)


def test_an_unknown_voice_is_the_default_one(server: Running) -> None:
    assert server.post("/synthesize", {"text": "Hello", "voice": "../../nobody"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"{", None),
        (b"[]", None),
        (b"", None),
        (b"{}", "text"),
        (b'{"text": ""}', "text"),
        ('{"text": "你好"}'.encode(), "input"),
        (b'{"text": "Hello", "length_scale": 0}', "length_scale"),
        (b'{"text": "Hello", "length_scale": NaN}', "length_scale"),
        (b'{"text": "Hello", "noise_scale": -1}', "noise_scale"),
        (b'{"text": "Hello", "speaker_id": "x"}', "speaker_id"),
        (b'{"text": "' + b"x" * 5000 + b'"}', "text"),
        (b"[" * 100_000, None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_invalid_body_is_an_error(server: Running, body: bytes, param: str | None) -> None:
    answer = httpx.post(f"{server.url}/synthesize", content=body, timeout=60)
    assert answer.status_code == 400
    assert error_of(answer)["param"] == param


def test_a_body_needs_no_content_type(server: Running) -> None:
    assert httpx.post(f"{server.url}/synthesize", content=b'{"text": "Hello"}', timeout=60).status_code == 200


def test_clients_from_before_2026_send_the_text_alone(server: Running) -> None:
    for answer in (
        server.get("/", params={"text": "Hello there."}),
        server.get("/synthesize", params={"text": "Hello there."}),
        httpx.post(server.url, content="Hello thére.".encode(), timeout=60),
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
        assert soundfile.info(io.BytesIO(answer.content)).frames > 1000
    assert server.get("/").headers["content-type"].startswith("text/html")
    assert server.get("/", params={"text": " "}).status_code == 400


def test_a_text_in_an_address_needs_a_key_and_is_spoken_for_no_other_site(serve: Serve) -> None:
    server = serve(key_digests=frozenset([sha256(b"right").digest()]))
    for method in ("GET", "POST"):
        assert httpx.request(method, f"{server.url}/?text=Hello", content=b"").status_code == 401
    assert server.get("/").status_code == 200
    headers = {"X-API-Key": "right"}
    assert server.get("/?text=Hello", headers=headers).status_code == 200
    assert server.get("/?text=Hello", headers={**headers, "Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_the_default_voice_is_described(server: Running) -> None:
    server.post("/synthesize", {"text": SENTENCE})
    assert server.get("/info").json() == {
        "voice": {"name": "random", "language": "en-us", "num_speakers": 1},
        "last": None,
    }


def test_voices_are_listed_with_their_configs(server: Running) -> None:
    voices = server.get("/voices").json()
    assert voices["random"]["audio"]["sample_rate"] == 16000
    assert "en_US-heart-student" in voices
