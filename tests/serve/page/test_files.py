"""What is sent to the browser, and with which headers."""

import re

import httpx
import pytest

from tests.serve.page.conftest import Server, StartServer
from voxmatrix.serve.page.routes import belongs_to_page, page_files


def test_the_page_is_small() -> None:
    assert sum(len(file.content) for file in page_files().values()) < 300_000


def test_the_api_is_described_at_docs_without_a_script_or_another_place(server: Server) -> None:
    answer = httpx.get(f"{server.url}docs")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    described = httpx.get(f"{server.url}openapi.json").json()
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in answer.text
    assert "<code>response_format</code>" in answer.text and "mp3 or " in answer.text
    assert "<code>chapters</code>" in answer.text  # of one of the kinds of jobs
    assert "http://" not in answer.text and "https://" not in answer.text.replace("https://github.com", "")


def test_the_page_names_no_other_place() -> None:
    """But the name of a format: SVG's."""
    for name, file in page_files().items():
        assert not re.search(rb"https?://", file.content.replace(b"http://www.w3.org/2000/svg", b"")), name


def test_a_voice_links_to_where_it_is_from_only_by_http() -> None:
    """A description of a voice can name any address: javascript:// too."""
    (shown,) = re.findall(rb"\n *(.*) && el\(\"a\", { href: voice.source", page_files()["js/voices/card.js"].content)
    assert shown == b"/^https?:/.test(voice.source)"


def test_its_headers_keep_everything_else_out(server: Server) -> None:
    headers = httpx.get(server.url).headers
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-security-policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_file_is_sent_again_only_when_it_has_changed(server: Server) -> None:
    url = f"{server.url}page/js/main.js"
    first = httpx.get(url)
    assert first.headers["cache-control"] == "no-cache"
    again = httpx.get(url, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert httpx.get(url, headers={"If-None-Match": '"older"'}).content == first.content


@pytest.mark.parametrize("name", ["nothing.js", "..%2f..%2ffiles.py", "%2e%2e/routes.py", "js", ""])
def test_only_files_of_the_page_are_served(server: Server, name: str) -> None:
    answer = httpx.get(f"{server.url}page/{name}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_the_page_needs_no_key_and_the_api_does(
    start_server: StartServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text("0" * 64 + "\n", encoding="utf-8")
    server = start_server("--keys", str(file))
    for path in ("", "page/js/main.js", "page/settings.json"):
        assert httpx.get(server.url + path).status_code == 200
    for path in ("v1/machine", "v1/audio/voices", "pages", "page"):
        assert httpx.get(server.url + path).status_code == 401


def test_what_belongs_to_the_page() -> None:
    assert belongs_to_page("/") and belongs_to_page("/page/js/main.js")
    assert not any(map(belongs_to_page, ("/page", "/pages/x", "/v1/page/", "//", "")))
