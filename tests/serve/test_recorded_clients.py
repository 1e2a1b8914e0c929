"""Requests that real clients send (`clients/*.json`), replayed: each gets what its client can read."""

import base64
import io
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import numpy as np
import pytest
import soundfile

from tests.serve.conftest import Running, running
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings

KEY = "a-key-for-all"
FILES = sorted(Path(__file__).with_name("clients").glob("*.json"))
RECORDED = [
    pytest.param(request, id=f"{file.stem}-{number}")
    for file in FILES
    for number, request in enumerate(json.loads(file.read_text(encoding="utf-8"))["requests"])
]
#: Samples of a second, and bytes of a sample, of formats without a header.
RAW = {"pcm": 2, "ulaw": 1, "alaw": 1}


@pytest.fixture(scope="module")
def open_server(voice: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that also answers another program's page, and has the names that clients have for ElevenLabs' voices."""
    aliases = {"21m00Tcm4TlvDq8ikWAM": "random", "kokoro/af_heart": "random"}
    given: dict[str, Any] = {"voice": voice, "port": 0, "device": DeviceRequest(kind="cpu"), "threads": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXMATRIX_HOME", str(tmp_path_factory.mktemp("home")))
        keys = frozenset([sha256(KEY.encode()).digest()])
        settings = ServeSettings(**given, aliases=aliases, key_digests=keys, allowed_origins=("http://127.0.0.1:8000",))
        with running(settings) as server:
            yield server


def replay(server: Running, request: dict[str, Any]) -> httpx.Response:
    """Send it byte for byte; clients that were recorded without a key have one."""
    headers = {name.lower(): value for name, value in request["headers"].items()}
    if not {"xi-api-key", "authorization"} & set(headers):
        headers["x-api-key"] = KEY
    with httpx.Client(timeout=60) as client:
        client.headers.clear()
        body = request["body"].encode()
        return client.request(request["method"], server.url + request["path"], content=body, headers=headers)


@pytest.mark.parametrize("request_", RECORDED)
def test_a_recorded_request_gets_what_its_client_reads(open_server: Running, request_: dict[str, Any]) -> None:
    answer = replay(open_server, request_)
    assert (answer.status_code, answer.headers["content-type"]) == tuple(
        request_["expected"][name] for name in ("status", "type")
    ), answer.text
    path = urlsplit(request_["path"]).path
    if answer.status_code != 200:
        check_error(path, answer)
    elif path.endswith("/with-timestamps"):
        check_alignment(answer, json.loads(request_["body"])["text"])
    elif request_["method"] == "GET":
        check_list(path, answer.json())
    else:
        assert 0.2 < seconds_of(answer.content, answer.headers["content-type"], request_["path"]) < 20


def check_error(path: str, answer: httpx.Response) -> None:
    content = answer.json()
    assert content["error"]["message"]
    if answer.status_code == 401:
        return  # before it is known whose path it is
    if "/text-to-speech/" in path:
        assert content["detail"]["status"] == "voice_not_found" and "--alias" in content["detail"]["message"]
    if path == "/tts":
        assert content["detail"] == content["error"]["message"]
    if "json" in str(content["error"]["code"]):
        assert "Content-Type: application/json" in content["error"]["message"]


def check_alignment(answer: httpx.Response, text: str) -> None:
    lines = [json.loads(line) for line in answer.text.splitlines() if line]
    assert b"".join(base64.b64decode(line["audio_base64"]) for line in lines)
    parts = [line["alignment"] for line in lines if line["alignment"]]
    assert "".join(character for part in parts for character in part["characters"]) == text
    starts, ends = (
        [time for part in parts for time in part[f"character_{name}_times_seconds"]] for name in ("start", "end")
    )
    assert len(starts) == len(ends) == len(text)
    assert starts == sorted(starts) and ends == sorted(ends) and ends[-1] > starts[0] >= 0


def check_list(path: str, content: Any) -> None:
    if path == "/v1/models":
        assert all(model["model_id"] and model["can_do_text_to_speech"] for model in content)
    elif path == "/get_predefined_voices":
        assert content[0] == {"display_name": "random", "filename": "random", "language": "en-us"}
    elif path == "/get_reference_files":
        assert content == []
    elif path.endswith("/random"):
        assert (content["voice_id"], content["name"]) == ("random", "random")
    else:
        assert all(voice["voice_id"] and voice["name"] for voice in content["voices"])
        assert path != "/v2/voices" or (content["has_more"], content["next_page_token"]) == (False, None)
        assert path != "/v1/voices" or content["voices"][0]["voice_id"] == "random"


def seconds_of(sound: bytes, kind: str, path: str) -> float:
    named = parse_qs(urlsplit(path).query).get("output_format", [""])[0]
    codec, _, rest = named.partition("_")
    if codec in RAW:
        return len(sound) / RAW[codec] / int(rest)
    info = soundfile.info(io.BytesIO(sound))
    assert kind in ("audio/mpeg", "audio/opus", "audio/wav")
    if rest and codec != "opus":
        assert info.samplerate == int(rest.partition("_")[0])
    samples, rate_hz = soundfile.read(io.BytesIO(sound), dtype="float32")
    assert np.abs(samples).max() > 0.01
    return float(len(samples) / rate_hz)
