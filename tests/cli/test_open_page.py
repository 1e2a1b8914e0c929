"""`serve --open`: the page in the browser, or its address."""

import threading
import webbrowser
from collections.abc import Callable

import pytest

from voxmatrix.cli import open_page, serve


class Browser(webbrowser.BaseBrowser):
    """Opens nothing, and remembers what it was asked for."""

    def __init__(self, opens: bool = True) -> None:
        super().__init__("fake")
        self.opens, self.opened = opens, list[str]()

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.opened.append(url)
        return self.opens


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    """The browser of a desktop."""
    found = Browser()
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "get", lambda: found)
    return found


def wait() -> None:
    for thread in threading.enumerate():
        if thread.name == "browser":
            thread.join(30)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("http://0.0.0.0:3000", "http://127.0.0.1:3000"),
        ("http://[::]:3000", "http://[::1]:3000"),
        ("http://192.168.1.20:3000", "http://192.168.1.20:3000"),
    ],
)
def test_the_page_is_opened_where_this_computer_reaches_it(
    url: str, address: str, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    serve._show_url("", url, opens=True)
    wait()
    assert browser.opened == [address]
    assert capsys.readouterr() == (f"serving on {url}\n", "")


def test_the_key_is_not_given_to_the_browser_but_printed(browser: Browser, capsys: pytest.CaptureFixture[str]) -> None:
    serve._show_url("secret", "http://0.0.0.0:3000", opens=True)
    wait()
    assert browser.opened == ["http://127.0.0.1:3000"]
    assert "open http://127.0.0.1:3000/#key=secret\n" in capsys.readouterr().out


@pytest.mark.parametrize(("url", "opens"), [("tcp://127.0.0.1:10200", True), ("http://127.0.0.1:3000", False)])
def test_nothing_is_opened_without_the_option_or_for_wyoming(url: str, opens: bool, browser: Browser) -> None:
    serve._show_url("", url, opens=opens)
    wait()
    assert browser.opened == []


def none_installed() -> webbrowser.BaseBrowser:
    raise webbrowser.Error("could not locate runnable browser")


@pytest.mark.parametrize(
    "found",
    [none_installed, lambda: webbrowser.GenericBrowser("w3m"), lambda: Browser(opens=False)],
    ids=["none", "in the terminal", "refuses"],
)
def test_where_no_browser_opens_the_address_is_said(
    found: Callable[[], webbrowser.BaseBrowser],
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(webbrowser, "get", found)
    open_page.open_page("http://127.0.0.1:3000")
    wait()
    assert "open http://127.0.0.1:3000 yourself" in capsys.readouterr().err


def test_without_a_display_no_browser_is_looked_for_unless_one_is_chosen(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY")
    open_page.open_page("http://127.0.0.1:3000")
    wait()
    assert browser.opened == []
    assert "http://127.0.0.1:3000" in capsys.readouterr().err
    monkeypatch.setenv("BROWSER", "firefox")
    open_page.open_page("http://127.0.0.1:3000")
    wait()
    assert browser.opened == ["http://127.0.0.1:3000"]
