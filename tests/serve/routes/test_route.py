"""JSON is read however it is declared, and a simple request of another site's page still does nothing."""

from typing import Any

import httpx
import pytest

from tests.serve.conftest import Running, error_of

SPEECH = "/v1/audio/speech"
JSON = b'{"input": "Hello.", "response_format": "wav"}'
OLD_BROWSER = "Mozilla/5.0 (Windows NT 10.0; rv:52.0) Gecko/20100101 Firefox/52.0"
UNDECLARED = [
    None,
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "application/octet-stream",
    "multipart/form-data; boundary=x",
    "nonsense",
]


def send(server: Running, path: str, body: bytes, kind: str | None, **headers: str) -> httpx.Response:
    with httpx.Client(timeout=60) as client:
        client.headers.clear()
        declared = {} if kind is None else {"content-type": kind}
        return client.post(server.url + path, content=body, headers={**declared, **headers})


@pytest.mark.parametrize(
    "kind", [*UNDECLARED, "application/json", "Application/JSON; charset=utf-8", "application/a+json"]
)
def test_json_is_read_whatever_it_is_declared_to_be(shared: Running, kind: str | None) -> None:
    answer = send(shared, SPEECH, JSON, kind)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav"), answer.text


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/tts", b'{"text": "Hello."}', 200),
        ("/v1/text-to-speech/alloy", b'{"text": "Hello."}', 200),
        ("/dev/captioned_speech", b'{"input": "Hello."}', 200),
        ("/v1/audio/voices/combine", b'["nobody", "noone"]', 400),
        ("/v1/plan", b'{"quality": "tiny"}', 200),
        ("/v1/jobs", b'{"kind": "speech"}', 400),
    ],
)
def test_on_every_route(shared: Running, path: str, body: bytes, status: int) -> None:
    undeclared, declared = (send(shared, path, body, kind) for kind in ("text/plain", "application/json"))
    assert undeclared.status_code == declared.status_code == status, undeclared.text
    if status == 400:
        assert undeclared.json() == declared.json()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"input=Hello.&voice=alloy", "application/x-www-form-urlencoded"),
        (
            b'--x\r\nContent-Disposition: form-data; name="input"\r\n\r\nHello.\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
        (b"Hello.", "text/plain"),
        (b"Hello.", None),
    ],
)
def test_what_is_no_json_is_told_how_to_send_it(shared: Running, body: bytes, kind: str | None) -> None:
    answer = send(shared, SPEECH, body, kind)
    assert answer.status_code == 400
    assert error_of(answer)["code"] == "invalid_json"
    said = error_of(answer)["message"]
    assert "Content-Type: application/json" in said and '-d \'{"input"' in said


def test_broken_json_and_other_encodings_are_said(shared: Running) -> None:
    assert error_of(send(shared, SPEECH, b'{"input": ', "application/json"))["message"] == "the body is not valid JSON"
    latin = error_of(send(shared, SPEECH, '{"input": "Café"}'.encode("latin-1"), "application/json"))
    assert "not UTF-8" in latin["message"]


@pytest.mark.parametrize("kind", UNDECLARED)
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example", "user-agent": OLD_BROWSER},
        {"sec-fetch-site": "cross-site", "user-agent": OLD_BROWSER},
        {"origin": "null"},
        {"user-agent": OLD_BROWSER},  # of a time when browsers did not say whose page posts a form
        {"user-agent": OLD_BROWSER, "referer": "https://evil.example/"},
    ],
)
@pytest.mark.parametrize("path", [SPEECH, "/tts", "/v1/text-to-speech/alloy", "/v1/jobs"])
def test_a_simple_request_of_another_sites_page_never_acts(
    shared: Running, kind: str | None, headers: dict[str, str], path: str
) -> None:
    body = b'{"kind": "speech", "text": "Hello.", "input": "Hello.", "response_format": "wav"}'
    refused = send(shared, path, body, kind, **headers)
    assert refused.status_code in (400, 403)
    assert refused.json()["error"]["code"] in ("cross_site", "invalid_json")


def test_our_own_page_and_declared_json_of_any_browser_are_read(shared: Running) -> None:
    own: dict[str, Any] = {"origin": shared.url, "sec-fetch-site": "same-origin", "user-agent": OLD_BROWSER}
    assert send(shared, SPEECH, JSON, "text/plain", **own).status_code == 200
    assert send(shared, SPEECH, JSON, "application/json", **{"user-agent": OLD_BROWSER}).status_code == 200
