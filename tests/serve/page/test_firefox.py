"""The page in Firefox, driven by WebDriver BiDi, which it speaks itself: that it loads, speaks and opens its tabs.

Whether it is heard is not seen: without a sound card, Firefox plays nothing, where Chromium pretends to.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.serve.conftest import eventually
from tests.serve.page.conftest import Server

pytestmark = [pytest.mark.firefox, pytest.mark.slow]
PATIENCE_SECONDS = 300.0
#: Spanish, and nothing that asks another server.
SETTINGS = {
    "intl.accept_languages": "es-ES,es",
    "app.normandy.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "",
}


class Firefox:
    """A tab, and the errors of its console and scripts."""

    def __init__(self, socket: ClientConnection) -> None:
        self.errors: list[str] = []
        self._socket = socket
        self._sent = 0
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self._tab = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command. What the console says meanwhile is noted."""
        self._sent += 1
        self._socket.send(json.dumps({"id": self._sent, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE_SECONDS))
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.errors.append(answer["params"]["text"])
            if answer.get("id") == self._sent:
                assert answer["type"] == "success", answer
                return dict(answer["result"])

    def open(self, url: str) -> None:
        self.send("browsingContext.navigate", context=self._tab, url=url, wait="interactive")

    def evaluate(self, script: str) -> Any:
        """The value of an expression."""
        target = {"context": self._tab}
        answer = self.send("script.evaluate", expression=script, target=target, awaitPromise=False)
        return answer["result"].get("value")

    def wait_for(self, selector: str) -> None:
        script = f"document.querySelector({json.dumps(selector)}) !== null"
        eventually(lambda: self.evaluate(script) is True, seconds=PATIENCE_SECONDS)

    def click(self, selector: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        locator = {"type": "css", "value": selector}
        (node,) = self.send("browsingContext.locateNodes", context=self._tab, locator=locator)["nodes"]
        there = {"type": "element", "element": {"sharedId": node["sharedId"]}}
        moves = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": there},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "actions": moves}
        self.send("input.performActions", context=self._tab, actions=[mouse])


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    program = shutil.which("firefox-esr") or shutil.which("firefox") or "firefox"
    profile, log = tmp_path / "profile", tmp_path / "log"
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in SETTINGS.items()]
    (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
    words = [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]

    def address() -> "re.Match[str] | None":
        return re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(encoding="utf-8"))

    with log.open("wb") as said, subprocess.Popen(words, stdout=said, stderr=said) as process:
        try:
            eventually(lambda: address() is not None, seconds=PATIENCE_SECONDS)
            found = address()
            assert found is not None
            with connect(f"{found[1]}/session", max_size=None, open_timeout=PATIENCE_SECONDS) as socket:
                yield Firefox(socket)
        finally:
            process.kill()


def test_a_sentence_is_spoken_by_a_click_and_every_tab_opens(firefox: Firefox, server: Server) -> None:
    firefox.open(server.url)
    firefox.wait_for("#voices input:checked")
    assert firefox.evaluate("document.documentElement.lang") == "es"
    firefox.click("#speak")
    firefox.wait_for(".take[data-state=done]")
    for tab in ("voices", "record", "train", "book", "jobs", "machine"):
        firefox.click(f"#tab-{tab}")
        firefox.wait_for(f"[role=tabpanel][aria-labelledby=tab-{tab}]:not([hidden]) :is(h1, h2)")
    assert not firefox.errors
