"""What hostile clients and files try, one test each."""

import pickle
import socket
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.conftest import SENTENCE, Running, Serve, copy_voice, error_of, raw
from voxmatrix.config import home

SPEECH = "/v1/audio/speech"
HEAD = f"POST {SPEECH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:3000", "localhost.evil.example", "192.0.2.1", "", "[::2]", "evil"]
)
def test_another_hosts_name_is_refused(server: Running, host: str) -> None:
    answer = server.get("/v1/models", headers={"Host": host})
    assert answer.status_code == 403
    assert error_of(answer)["code"] == "host_not_allowed"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1:3000", "[::1]:3000"])
def test_names_of_this_computer_are_accepted(server: Running, host: str) -> None:
    assert server.get("/v1/models", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(("host", "status"), [("box:3000", 200), ("192.0.2.1", 200), ("evil.example", 403), ("", 403)])
def test_on_all_interfaces_without_keys_a_name_without_a_dot_is_accepted(serve: Serve, host: str, status: int) -> None:
    server = serve(host="0.0.0.0")
    answer = httpx.get(f"http://127.0.0.1:{server.port}/v1/models", headers={"Host": host})
    assert answer.status_code == status


def test_a_host_can_be_allowed(serve: Serve) -> None:
    server = serve(allowed_hosts=("speech.example",))
    assert server.get("/v1/models", headers={"Host": "Speech.Example:8080"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", [SPEECH, "/synthesize"])
def test_a_page_of_another_site_cannot_post(server: Running, headers: dict[str, str], path: str) -> None:
    body = '{"model":"tts-1","voice":"alloy","input":"Hello","text":"Hello"}'
    answer = httpx.post(server.url + path, content=body, headers={"Content-Type": "text/plain", **headers})
    assert answer.status_code == 403
    assert error_of(answer)["code"] == "cross_site"
    assert "access-control-allow-origin" not in answer.headers


READS = [
    "/",
    "/docs",
    "/page/js/main.js",
    "/healthz",
    "/v1/models",
    "/v1/voices",
    "/v1/library",
    "/v1/machine",
    "/v1/jobs",
]
READS += ["/v1/recordings/anna/en/1.wav", "/v1/recordings", "/metrics", "/nowhere"]
CROSS = {"Sec-Fetch-Site": "cross-site"}


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize(
    "mode", [("no-cors", "audio"), ("cors", "empty"), ("navigate", "iframe"), ("no-cors", "image")]
)
def test_a_page_of_another_site_can_load_nothing(server: Running, path: str, mode: tuple[str, str]) -> None:
    """Nor does it learn what there is: an answer is the same for what exists and what does not."""
    answer = server.get(path, headers={**CROSS, "Sec-Fetch-Mode": mode[0], "Sec-Fetch-Dest": mode[1]})
    assert answer.status_code == 403
    assert error_of(answer)["code"] == "cross_site"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_link_on_another_site_opens_the_page_and_nothing_else(server: Running) -> None:
    link = {**CROSS, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert [server.get(path, headers=link).status_code for path in ("/", "/docs")] == [200, 200]
    assert {server.get(path, headers=link).status_code for path in READS if path.startswith("/v1/")} == {403}


@pytest.mark.parametrize("site", ["same-origin", "same-site", "none", None])
def test_our_page_programs_and_other_ports_of_this_computer_can_read(server: Running, site: str | None) -> None:
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"} if site else {}
    for path in ("/", "/v1/models", "/v1/voices", "/healthz"):
        answer = server.get(path, headers=headers)
        assert answer.status_code == 200
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("referer", ["https://chat.example/", "https://chat.example/room?x#y"])
def test_an_allowed_site_can_load_sound_by_its_elements(serve: Serve, referer: str) -> None:
    """A media element sends no Origin."""
    server = serve(allowed_origins=(SITE,))
    element = {**CROSS, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "audio"}
    answer = server.get("/v1/models", headers={**element, "Referer": referer})
    assert (answer.status_code, answer.headers["cross-origin-resource-policy"]) == (200, "cross-origin")
    fetched = server.get("/v1/models", headers={**CROSS, "Origin": SITE})
    assert (fetched.status_code, fetched.headers["cross-origin-resource-policy"]) == (200, "cross-origin")
    for others in ({}, {"Referer": "https://evil.example/"}, {"Origin": "https://evil.example"}):
        answer = server.get("/v1/models", headers={**element, **others})
        assert (answer.status_code, answer.headers["cross-origin-resource-policy"]) == (403, "same-origin")


def test_where_every_site_is_allowed_every_site_loads(serve: Serve) -> None:
    server = serve(allowed_origins=("*",))
    answer = server.get("/v1/models", headers={**CROSS, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "audio"})
    assert (answer.status_code, answer.headers["cross-origin-resource-policy"]) == (200, "cross-origin")


def test_our_own_page_can_post(server: Running) -> None:
    own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert server.post("/synthesize", {"text": "Hello"}, headers=own).status_code == 200


def test_a_preflight_is_not_answered_with_a_permission(server: Running) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = httpx.options(server.url + SPEECH, headers=asked)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


SITE = "https://chat.example"


@pytest.mark.parametrize(
    ("allowed", "origin"),
    [
        ((SITE,), SITE),
        (("*",), "http://localhost:8080"),
    ],
)
def test_pages_of_an_allowed_site_can_use_the_api(serve: Serve, allowed: tuple[str, ...], origin: str) -> None:
    server = serve(allowed_origins=allowed, key_digests=frozenset([sha256(b"right").digest()]))
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    asked["Access-Control-Request-Headers"] = "authorization, content-type"
    preflight = httpx.options(server.url + SPEECH, headers=asked)
    assert preflight.status_code == 200
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    sent = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
    refused = server.speak_with(sent)
    assert refused.status_code == 401  # which the page can read
    spoken = server.speak_with({**sent, "Authorization": "Bearer right"})
    assert spoken.status_code == 200
    for answer in (preflight, refused, spoken):
        assert answer.headers["access-control-allow-origin"] in (origin, "*")


def test_pages_of_other_sites_stay_out_when_one_is_allowed(serve: Serve) -> None:
    server = serve(allowed_origins=(SITE,))
    for origin in ("https://evil.example", f"{SITE}.evil.example", "null", "http://chat.example"):
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        preflight = httpx.options(server.url + SPEECH, headers=asked)
        assert preflight.status_code == 400
        assert "access-control-allow-origin" not in preflight.headers
        assert server.speak_with({"Origin": origin}).status_code == 403


def test_a_declared_huge_body_is_refused_before_it_is_read(server: Running) -> None:
    answer = raw(server.port, HEAD + b"Content-Length: 1073741824\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413")
    assert b'"code":"request_too_large"' in answer


def test_an_endless_body_is_refused_and_the_connection_closed(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        with pytest.raises(OSError):  # a reset or a broken pipe
            while sent < 100 * 2**20:
                connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
                sent += 65536
    assert sent < 20 * 2**20


def test_a_body_longer_than_its_declared_length_is_cut_there(server: Running) -> None:
    body = b'{"model":"tts-1","voice":"alloy","input":"Hello","response_format":"pcm"}'
    assert raw(server.port, HEAD + b"Content-Length: 10\r\n\r\n" + body).startswith(b"HTTP/1.1 400")


def test_a_flood_of_headers_is_refused(server: Running) -> None:
    flood = b"".join(b"X-Header-%d: %s\r\n" % (number, b"x" * 1000) for number in range(1000))
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        received = b""
        try:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + flood + b"\r\n")
            received = connection.recv(4096)
        except OSError:
            pass  # closed while we were sending
    assert b"200 OK" not in received
    assert server.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "name", ["../random", "/etc/passwd", "..\\random", "random.onnx", "voices/random", "%2e%2e/random"]
)
def test_a_path_is_no_voice(serve: Serve, voice: Path, name: str) -> None:
    copy_voice(voice, home() / "random.onnx")  # beside the folder of voices, not in it
    server = serve()
    assert error_of(server.speak(voice=name))["param"] == "voice"
    assert error_of(server.speak(model=name))["code"] == "model_not_found"
    assert server.get(f"/v1/models/{name}").status_code == 404


def test_a_link_out_of_the_folder_of_voices_is_no_voice(serve: Serve, voice: Path) -> None:
    outside = copy_voice(voice, home() / "elsewhere" / "secret.onnx")
    folder = home() / "voices"
    folder.mkdir()
    for suffix in ("", ".json"):
        (folder / f"linked.onnx{suffix}").symlink_to(f"{outside}{suffix}")
    copy_voice(voice, folder / "half.onnx")
    (folder / "half.onnx.json").unlink()
    (folder / "half.onnx.json").symlink_to(f"{outside}.json")
    server = serve()
    listed = {found["id"] for found in server.get("/v1/audio/voices").json()["voices"]}
    assert not {"linked", "half", "secret"} & listed
    assert server.speak(voice="linked").status_code == 400


class Pickled:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_a_pickle_that_is_called_a_voice_is_not_unpickled(serve: Serve, voice: Path, tmp_path: Path) -> None:
    hostile = copy_voice(voice, home() / "voices" / "hostile.onnx")
    hostile.write_bytes(pickle.dumps(Pickled(tmp_path / "executed")))
    server = serve()
    answer = server.speak(voice="hostile")
    assert answer.status_code == 500
    assert error_of(answer)["type"] == "server_error"
    assert str(home()) not in answer.text
    assert not (tmp_path / "executed").exists()
    assert server.speak().status_code == 200


def test_clients_learn_no_path_of_the_home(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "mine.onnx")
    for name, content in (("half", b"\x08"), ("broken", b"")):
        copy_voice(voice, home() / "voices" / f"{name}.onnx").write_bytes(content)
    (home() / "voices" / "broken.onnx.json").write_text("{", encoding="utf-8")
    (home() / "recordings" / "anna" / "en").mkdir(parents=True)
    (home() / "recordings" / "anna" / "en" / "prompts.json").write_text("{", encoding="utf-8")
    server = serve()
    paths = [*READS, "/v1/audio/voices", "/v1/engines", "/v1/recordings/anna/en", "/v1/voices/mine", "/info", "/readyz"]
    for answer in (*map(server.get, paths), server.speak(voice="half"), server.speak(voice="broken")):
        assert str(home()) not in answer.text, answer.url


def test_neither_texts_nor_keys_are_logged(serve: Serve) -> None:
    from hashlib import sha256

    server = serve(key_digests=frozenset([sha256(b"vx-secret").digest()]))
    for key in ("vx-secret", "vx-wrong"):
        headers = {"Authorization": f"Bearer {key}"}
        server.post(SPEECH, {"model": "tts-1", "voice": "alloy", "input": SENTENCE}, headers=headers)
        server.get(f"/{SENTENCE}?input={SENTENCE}", headers=headers)
    logged = str(server.lines)
    assert "vx-" not in logged
    assert "fox" not in logged
