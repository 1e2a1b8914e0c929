"""This computer is never reached through a proxy, and a proxy that is in the way is named with its variable."""

import http.server
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback import file_server
from tests.remote.conftest import stubbed
from voxmatrix.download import read_remote
from voxmatrix.errors import UnreachableError, UsageError
from voxmatrix.proxy import connect_loopback_directly, opener, proxy_remedy, with_proxy
from voxmatrix.remote.client import voices
from voxmatrix.remote.servers import Server

#: Nothing listens at this port of loopback addresses.
DEAD = "http://user:secret@127.0.0.1:9"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no"):
        for variable in (f"{name}_proxy", f"{name}_proxy".upper()):
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("REQUEST_METHOD", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE")


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    """The address of a proxy, and what it was asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("value", [DEAD, "socks5://127.0.0.1:9", "nonsense://"])
def test_a_server_on_this_computer_is_reached_whatever_proxy_is_set(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with file_server() as server:
        server.files["index"] = b"content"
        assert read_remote(f"{server.url}/index", 100)[0] == b"content"
        assert read_remote(f"{server.url.replace('127.0.0.1', 'localhost')}/index", 100)[0] == b"content"


def test_a_remote_voice_on_this_computer_speaks_behind_a_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path))
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    with stubbed() as stub:
        assert [voice["name"] for voice in voices(Server(url=f"{stub.url}"))] == ["alloy"]


@pytest.mark.parametrize(
    ("no_proxy", "url"),
    [
        ("", "http://127.0.0.1:8880/v1"),
        ("", "http://127.9.8.7/v1"),
        ("", "http://[::1]:8880/v1"),
        ("", "http://LOCALHOST:8880"),
        ("", "https://voice.localhost"),
        ("studio.example", "http://studio.example:8880/v1"),
        ("example", "http://studio.example/v1"),
        (" .example , other", "https://studio.example/v1"),
        ("studio.example:8880", "http://studio.example:8880/v1"),
        ("*", "http://studio.example/v1"),
        ("10.0.0.0/8", "http://10.1.2.3:8880/v1"),
        ("10.1.2.3", "http://10.1.2.3:8880/v1"),
        ("fd00::/8", "http://[fd12::3]:8880/v1"),
        ("[fd12::3]", "http://[fd12::3]:8880/v1"),
        ("fd12::3", "http://[fd12::3]/v1"),
    ],
)
@pytest.mark.parametrize("proxy", [DEAD, "socks5h://127.0.0.1:9"])
def test_loopback_and_what_no_proxy_lists_are_direct(
    no_proxy: str, url: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert with_proxy(url) == url
    assert proxy_remedy(url, "start the server") == "start the server"


@pytest.mark.parametrize(
    "url", ["http://studio.example/v1", "http://10.1.2.3", "http://notexample", "http://[fd12::3]"]
)
def test_others_are_reached_through_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", DEAD)
    monkeypatch.setenv("NO_PROXY", "other.example,10.1.2.4/32,fe80::/10,example")
    is_listed = url == "http://studio.example/v1"
    assert with_proxy(url) == (url if is_listed else f"{url} (through the proxy http://127.0.0.1:9 of http_proxy)")


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"HTTP_PROXY": DEAD}, "HTTP_PROXY"),
        ({"HTTP_PROXY": "socks5://x:1", "http_proxy": DEAD}, "http_proxy"),
        ({"ALL_PROXY": DEAD}, "ALL_PROXY"),
        ({"ALL_PROXY": "socks5://x:1", "http_proxy": DEAD}, "http_proxy"),
        ({"HTTP_PROXY": DEAD, "REQUEST_METHOD": "GET"}, ""),  # in a CGI program, a client could set it
        ({"http_proxy": DEAD, "REQUEST_METHOD": "GET"}, "http_proxy"),
        ({"HTTP_PROXY": DEAD, "http_proxy": ""}, ""),
        ({"HTTPS_PROXY": DEAD}, ""),
    ],
)
def test_the_variable_that_urllib_reads_is_named(
    variables: dict[str, str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    url = "http://studio.example/v1"
    assert with_proxy(url) == (f"{url} (through the proxy http://127.0.0.1:9 of {named})" if named else url)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "all_proxy"])
def test_a_proxy_is_used_and_asked_for_the_whole_address(
    variable: str, proxy: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, proxy[0])
    assert read_remote("http://studio.example/index", 100)[0] == b"{}"
    assert proxy[1] == ["http://studio.example/index"]


def test_a_proxy_that_fails_is_named_for_a_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    with pytest.raises(UnreachableError, match="HTTP_PROXY") as caught:
        read_remote("http://studio.example/index", 100)
    assert "NO_PROXY=studio.example" in caught.value.remedy
    assert "secret" not in str(caught.value)


def test_a_proxy_that_fails_is_named_for_a_remote_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", DEAD)
    with pytest.raises(UnreachableError, match="http_proxy") as caught:
        voices(Server(url="http://studio.example/v1", retry_seconds=0))
    assert "NO_PROXY=studio.example" in caught.value.remedy
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("socks5://user:secret@10.0.0.1:1080", "SOCKS proxies are not supported"),
        ("SOCKS5h://10.0.0.1", "SOCKS proxies are not supported"),
        ("ftp://10.0.0.1", "no HTTP proxy"),
        ("http://", "no HTTP proxy"),
        ("http://caf\udce9:80", "no HTTP proxy"),
        ("http://10.0.0.1:port", "no HTTP proxy"),
    ],
)
def test_what_is_no_http_proxy_is_refused_in_words(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    for ask in (
        lambda: read_remote("http://studio.example/index", 100),
        lambda: voices(Server(url="http://studio.example/v1", retry_seconds=0)),
    ):
        with pytest.raises(UsageError, match=f"{variable} is .*{said}") as caught:
            ask()
        assert "HTTP_PROXY=http://HOST:PORT, or NO_PROXY=studio.example" in caught.value.remedy
        assert "secret" not in str(caught.value)


def test_a_proxy_on_tls_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "https://127.0.0.1:9")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with pytest.raises(OSError, match="refused"):
        opener().open("http://studio.example/", timeout=5)


def test_clients_of_other_packages_reach_this_computer_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    connect_loopback_directly()
    assert not urllib.request.proxy_bypass("localhost"), "without a proxy, nothing is changed"

    monkeypatch.setenv("HTTPS_PROXY", DEAD)
    monkeypatch.setenv("no_proxy", "studio.example")
    for _ in range(2):
        connect_loopback_directly()
    for host in ("studio.example", "localhost:9000", "127.0.0.1:9000", "[::1]:9000"):
        assert urllib.request.proxy_bypass(host)
    assert not urllib.request.proxy_bypass("s3.example")
