"""The program itself, serving voices of random weights, and Chromium."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.piper.conftest import MakeCheckpoint

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

MAX_INPUT = 30_000
#: A loaded computer is slow; what is expected happens, or never will.
PATIENCE_MS = 300_000.0
#: Remembers the loudest sample that reached the loudspeaker, of all that were played.
_LISTEN = """
window.loudest = 0;
const connect = AudioNode.prototype.connect;
AudioNode.prototype.connect = function (target, ...rest) {
  if (target instanceof AudioDestinationNode) {
    for (const sample of this.buffer.getChannelData(0)) window.loudest = Math.max(window.loudest, Math.abs(sample));
  }
  return connect.call(this, target, ...rest);
};
"""


class Server:
    """`voxmatrix serve`, which can be killed and started again at the same address."""

    def __init__(self, home: Path, voice: Path | None, *options: str) -> None:
        self.home = home
        self._command = [sys.executable, "-m", "voxmatrix_entrypoint", "serve", "--threads", "1"]
        self._command += ["--voice", str(voice)] if voice else []
        self._command += ["--max-input", str(MAX_INPUT), *options]
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [*self._command, "--port", str(self._port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "VOXMATRIX_HOME": str(self.home), "OMP_NUM_THREADS": "1"},
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        found = re.search(r":(\d+)$", said.strip())
        assert found, f"the server said {said!r}"
        self._port = int(found.group(1))

    def kill(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()

    def add_voice(self, name: str, like: Path) -> Path:
        return add_voice(self.home, name, like)


def add_voice(home: Path, name: str, like: Path) -> Path:
    """Copy a voice to a home."""
    folder = home / "voices"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(f"{like}.json", folder / f"{name}.onnx.json")
    return Path(shutil.copy(like, folder / f"{name}.onnx"))


StartServer = Callable[..., Server]


@pytest.fixture(scope="session")
def start_server(make_onnx: MakeCheckpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """Start a server with the voices `first`, which speaks by default, and `second`, which has three speakers."""
    with ExitStack() as stack:

        def start(*options: str) -> Server:
            home = tmp_path_factory.mktemp("home")
            folder = tmp_path_factory.mktemp("voice")
            one, three = make_onnx("tiny", 1, "text"), make_onnx("tiny", 3, "text")
            shutil.copy(f"{one}.json", folder / "first.onnx.json")
            server = Server(home, Path(shutil.copy(one, folder / "first.onnx")), *options)
            stack.callback(server.kill)
            server.add_voice("second", three)
            return server

        yield start


@pytest.fixture(scope="session")
def server(start_server: StartServer) -> Server:
    """A server that all tests share."""
    return start_server()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Of a module: Playwright's event loop must not run beside that of another module's tests."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=PATIENCE_MS)
        yield started
        started.close()


@pytest.fixture
def context(browser: "Browser") -> "Iterator[BrowserContext]":
    """A fresh profile. Requests to anywhere but the server are aborted, and fail the test."""
    foreign: list[str] = []

    def guard(route: Any) -> None:
        if re.match(r"(http://127\.0\.0\.1:\d+/|blob:|data:)", route.request.url):
            route.continue_()
        else:
            foreign.append(route.request.url)
            route.abort()

    made = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    made.set_default_timeout(PATIENCE_MS)
    made.add_init_script(_LISTEN)
    made.route("**/*", guard)
    yield made
    made.close()
    assert not foreign


@pytest.fixture
def page(context: "BrowserContext", server: Server) -> "Page":
    """The page of the shared server, with its voices."""
    return opened(context, server)


def opened(context: "BrowserContext", server: Server) -> "Page":
    """The page in a new tab. An error in its scripts fails the test."""
    from playwright.sync_api import expect

    page = context.new_page()
    page.on("pageerror", _fail)
    page.goto(server.url)
    expect(page.get_by_role("radio", name="first")).to_be_checked()
    return page


def _fail(error: Exception) -> None:
    raise AssertionError(f"an error in the page: {error}")
