"""What other programs send, by their own sources, and the addresses that people type into them."""

import io
from hashlib import sha256

import httpx
import pytest
import soundfile

from tests.serve.conftest import SENTENCE, Running, Serve

KEY = "a-key-for-all"
BEARER = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture
def keyed(serve: Serve) -> Running:
    """A server beside others in a network of containers, as `serve --host 0.0.0.0 --open-lists` is."""
    return serve(host="0.0.0.0", key_digests=frozenset([sha256(KEY.encode()).digest()]), open_lists=True)


def ask(server: Running, method: str, path: str, **more: object) -> httpx.Response:
    """A request to the name of the container."""
    headers = {"Host": "voxmatrix:3000", **more.pop("headers", {})}  # type: ignore[dict-item]
    return httpx.request(method, f"http://127.0.0.1:{server.port}{path}", headers=headers, timeout=60, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("base", ["/v1", "", "/v1/", "/", "//v1"])
def test_open_webui(keyed: Running, base: str) -> None:
    """routers/audio.py: it lists without a key, and adds the model to what its page has sent."""
    voices = ask(keyed, "GET", f"{base}/audio/voices").json()["voices"]
    assert {"random"} <= {voice["id"] for voice in voices}
    assert all(voice["name"] for voice in voices)
    models = ask(keyed, "GET", f"{base}/audio/models").json()["models"]
    assert {"id": "tts-1", "name": "tts-1"} in models
    for text in ("A first sentence.", "🎉"):  # it splits answers, and speaks each part
        payload = {"input": text, "voice": voices[0]["id"], "model": models[0]["id"]}
        forwarded = {"X-OpenWebUI-User-Name": "Ann", "X-OpenWebUI-User-Role": "admin", **BEARER}
        spoken = ask(keyed, "POST", f"{base}/audio/speech", json=payload, headers=forwarded)
        assert (spoken.status_code, spoken.headers["content-type"]) == (200, "audio/mpeg")
        assert len(spoken.content) > 500
    empty = {"input": "", "voice": "alloy"}
    failed = ask(keyed, "POST", f"{base}/audio/speech", json=empty, headers=BEARER)
    assert failed.json()["error"]["message"] == "input is empty"


@pytest.mark.parametrize("named", ["alloy", "random"])
def test_sillytavern(keyed: Running, named: str) -> None:
    """src/endpoints/openai.js, /custom/generate-voice: five fields to an address that the user types."""
    body = {"input": SENTENCE, "response_format": "mp3", "voice": named, "speed": 1, "model": "tts-1"}
    spoken = ask(keyed, "POST", "/v1/audio/speech", json=body, headers=BEARER)
    assert (spoken.status_code, spoken.headers["content-type"]) == (200, "audio/mpeg")
    without = ask(keyed, "POST", "/v1/audio/speech", json=body, headers={"Authorization": "Bearer"})
    assert without.status_code == 401


@pytest.mark.parametrize(
    "path", ["/v1/audio/speech", "/v1/audio/speech/", "/audio/speech", "//v1//audio/speech", "/v1/v1/audio/speech"]
)
def test_a_base_url_may_lack_v1_or_have_it_twice(server: Running, path: str) -> None:
    answer = server.post(path, {"input": "Hello.", "response_format": "wav"})
    assert answer.status_code == 200
    assert soundfile.info(io.BytesIO(answer.content)).samplerate == 16000
    assert server.requests(1)[0]["path"] == "/v1/audio/speech"


@pytest.mark.parametrize("path", ["/v1/models", "/models/", "/models", "/v1/models/"])
def test_models_too(server: Running, path: str) -> None:
    assert server.get(path).json()["object"] == "list"
    assert server.get("/models/tts-1").json()["id"] == "tts-1"


@pytest.mark.parametrize("path", ["/audiox", "/v1/nothing", "/v2/audio/speech", "/modelsx"])
def test_other_paths_are_not_found(server: Running, path: str) -> None:
    assert server.get(path).status_code in (404, 405)


def test_health_has_its_common_name(keyed: Running) -> None:
    assert ask(keyed, "GET", "/health").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/voice/v1/models", "/voice//v1/models/", "/v1/models", "/voice/models"])
def test_below_a_path_the_api_is_where_the_proxy_says(serve: Serve, path: str) -> None:
    server = serve(root_path="/voice")
    assert server.get(path).json()["object"] == "list"
    assert server.get("/openapi.json").json()["servers"] == [{"url": "/voice"}]
    assert server.get("/voices").status_code == 200  # Piper's, which only begins like it
    for page in ("/voice/", "/voice", "/"):
        assert '<base href="/voice/">' in server.get(page).text


PREFIXES = [
    ("/a/b", '<base href="/a/b/">'),
    ("/a/", '<base href="/a/">'),
    ('/"><script>', None),
    ("//evil.example", None),
    ("https://evil.example", None),
]


@pytest.mark.parametrize(("prefix", "base"), PREFIXES)
def test_the_prefix_of_a_proxy_is_believed_where_it_is_a_path(server: Running, prefix: str, base: str | None) -> None:
    answer = server.get("/", headers={"X-Forwarded-Prefix": prefix})
    assert ("<base" in answer.text) == (base is not None)
    assert base is None or base in answer.text
    assert "X-Forwarded-Prefix" in answer.headers["vary"]
    again = server.get("/", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == (304 if base is None else 200)


def test_the_page_may_post_through_a_proxy_that_changes_the_host(server: Running) -> None:
    through = {"Origin": "http://voice.example", "X-Forwarded-Host": "voice.example, 10.0.0.1"}
    assert server.speak_with(through).status_code == 200
    assert server.speak_with({**through, "X-Forwarded-Host": "voice.example.evil"}).status_code == 403
