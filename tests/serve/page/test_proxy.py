"""The page and the API behind a proxy that shows them at a path of its own."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.serve.page.actions import TEXT, speak, takes
from tests.serve.page.conftest import Server, StartServer

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.browser
PATH = "/voice"


@contextmanager
def proxy(server: Server, *, strips: bool, tells: bool) -> Iterator[str]:
    """A proxy at a path; its address. It may take the path away, and tell the server of it."""
    target = server.url.removeprefix("http://").rstrip("/")

    class Handler(BaseHTTPRequestHandler):
        def forward(self) -> None:
            if self.path != PATH and not self.path.startswith((f"{PATH}/", f"{PATH}?", f"{PATH}#")):
                self.send_error(404)  # another program's
                return
            path = (self.path.removeprefix(PATH) or "/") if strips else self.path
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {**dict(self.headers), "Host": target, "X-Forwarded-Host": self.headers["Host"]}
            if tells:
                headers["X-Forwarded-Prefix"] = PATH
            connection = http.client.HTTPConnection(target, timeout=120)
            connection.request(self.command, path, body, headers)
            answer = connection.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            while block := answer.read1(65_536):
                self.wfile.write(block)
            connection.close()

        do_GET = do_POST = forward  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}{PATH}"
        finally:
            listening.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("strips", "tells", "ending"),
    [(True, False, "/"), (True, True, "/"), (True, True, ""), (False, False, "/"), (False, False, "")],
    ids=["strips", "strips and tells", "strips and tells, no slash", "root path", "root path, no slash"],
)
def test_page_and_api_behind_a_path(
    context: "BrowserContext", server: Server, start_server: StartServer, strips: bool, tells: bool, ending: str
) -> None:
    from playwright.sync_api import expect

    behind = server if strips else start_server("--root-path", PATH)
    with proxy(behind, strips=strips, tells=tells) as address:
        page = context.new_page()
        lost: list[str] = []
        page.on("response", lambda response: response.status >= 400 and lost.append(response.url))
        page.goto(f"{address}{ending}")
        expect(page.get_by_role("radio", name="first")).to_be_checked()
        speak(page, TEXT)
        takes(page, "done").wait_for()
        for tab in ("Record", "Train", "Book", "Jobs", "Machine"):
            page.get_by_role("tab", name=tab).click()
            expect(page.get_by_role("tabpanel", name=tab).locator("h1").first).to_be_visible()
        expect(page.get_by_role("heading", name="How a training would run")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="How a training would run")).to_be_visible()
        assert not lost
        assert httpx.get(f"{address}/v1/models").json()["object"] == "list"
        page.close()
