"""What a browser asks for, and when: with its cache, which the other tests of the page do without."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.page.conftest import PATIENCE_MS, Server
from voxmatrix.serve.page.files import read_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.browser
VERSION = read_page().version


class Visit:
    """A page of a fresh profile, and what it has asked the server for."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self._urls: dict[str, str] = {}  # by the id of the request
        self._cached: set[str] = set()
        self._ended: list[Request] = []
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on(
            "Network.requestWillBeSent", lambda event: self._urls.update({event["requestId"]: event["request"]["url"]})
        )
        session.on("Network.requestServedFromCache", lambda event: self._cached.add(event["requestId"]))
        session.on("Network.responseReceived", self._answered)
        page.on("requestfinished", self._note)

    def _note(self, request: "Request") -> None:
        self._ended.append(request)

    def _answered(self, event: dict[str, Any]) -> None:
        if event["response"]["fromDiskCache"]:
            self._cached.add(event["requestId"])

    def asked(self) -> list[str]:
        """The paths that the server was asked for since the last call."""
        asked = [url for id, url in self._urls.items() if id not in self._cached]
        self._urls.clear()
        return [re.sub(r"^http://[^/]*/", "", url) for url in asked]

    @property
    def bytes(self) -> int:
        """All that has been sent, without headers."""
        return sum(request.sizes()["responseBodySize"] for request in self._ended)


@pytest.fixture
def visit(browser: "Browser", server: Server) -> Iterator[Visit]:
    from playwright.sync_api import expect

    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    visit = Visit(context.new_page())
    visit.page.goto(server.url, wait_until="networkidle")
    expect(visit.page.get_by_role("radio", name="first")).to_be_checked()
    yield visit
    context.close()


def test_a_first_visit_asks_for_little(visit: Visit) -> None:
    asked = visit.asked()
    assert len(asked) == len(set(asked)) <= 8
    assert 30_000 < visit.bytes <= 62_000


def test_a_reload_asks_for_one_file(visit: Visit) -> None:
    visit.asked()
    visit.page.reload(wait_until="networkidle")
    assert sorted(visit.asked()) == ["", "page/settings.json", "v1/audio/voices", "v1/text/language"]


@pytest.mark.parametrize("name", ["Voices", "Record", "Train", "Book", "Jobs", "Machine"])
def test_a_tab_is_loaded_when_it_is_shown(visit: Visit, name: str) -> None:
    module = f"page/{VERSION}/js/{name.lower()}/{name.lower()}.js"
    assert module not in visit.asked()
    visit.page.get_by_role("tab", name=name).click()
    visit.page.get_by_role("tabpanel", name=name).locator("h1").first.wait_for()
    asked = visit.asked()
    assert module in asked
    visit.page.get_by_role("tab", name="Speak").click()
    visit.page.get_by_role("tab", name=name).click()
    assert not [path for path in visit.asked() if path.endswith(".js")]
