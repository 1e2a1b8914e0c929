"""On a phone, what is needed is in reach; without a network, the page says so and takes files."""

from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.page.actions import LONG, assert_accessible, speak
from tests.serve.page.conftest import Server
from tests.serve.page.trainings import fake

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

OFFLINE = "cannot download https://example.org/voices-v1.0.bin: gaierror: [Errno -2] Name or service not known"


@pytest.mark.parametrize(("width", "height"), [(390, 664), (390, 332), (512, 384)])  # the last two: zoomed to 200 %
def test_the_button_is_in_reach_however_long_the_text_is(page: "Page", width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.get_by_label("Text to speak").fill("One more line.\n" * 60)
    page.evaluate("scrollTo(0, 0)")
    button = page.get_by_role("button", name="Speak", exact=True)
    box, tabs = button.bounding_box(), page.get_by_role("tablist").bounding_box()
    assert box is not None and tabs is not None
    assert box["y"] >= 0 and box["y"] + box["height"] <= (tabs["y"] if tabs["y"] > height / 2 else height)
    button.click(trial=True, timeout=20_000)  # nothing is above it
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_is_heard_is_stopped_from_every_tab(page: "Page") -> None:
    from playwright.sync_api import expect

    speak(page, LONG)
    bar = page.locator(".now-playing")
    page.wait_for_function("() => window.loudest > 0.01")
    expect(bar).to_be_hidden()
    for tab in ("Book", "Jobs"):
        page.get_by_role("tab", name=tab).click()
        expect(bar).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 664})
    bar.get_by_role("button", name="Stop").click()
    expect(bar).to_be_hidden()
    page.get_by_role("tab", name="Speak").click()
    expect(page.get_by_role("button", name="Play", exact=False).first).to_be_visible()


def test_without_a_network_the_page_says_so_and_takes_the_files_by_drop(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    job = fake(1, kind="download", title="Kokoro", state="queued", request={"kind": "download", "voice": "kokoro"})
    error = {"message": f"{OFFLINE}.", "remedy": "check the network", "exit_code": 8}
    failed = {**job, "state": "failed", "error": error}
    kokoro = {
        **{"id": "kokoro/af_heart", "title": "Heart", "family": "kokoro", "library": "Kokoro", "together": True},
        **{"language": "en-us", "gender": "female", "quality": "", "speakers": 1, "bytes": 1, "license": "Apache-2.0"},
        **{"installed": False, "origin": "https://example.org/release"},
    }
    listed = {"voices": [kokoro], "problem": f"Piper's voices are not listed: {OFFLINE}"}
    page.route("**/v1/library", lambda route: route.fulfill(json=listed))
    page.route("**/v1/library/kokoro", lambda route: route.fulfill(json={**kokoro, "permissive": True}))
    page.route("**/v1/jobs", lambda route: route.fulfill(status=201, json=job))
    page.route("**/v1/jobs/*/events*", lambda route: route.fulfill(status=204))
    page.route(f"**/v1/jobs/{job['id']}", lambda route: route.fulfill(json={**failed, "files": []}))
    page.get_by_role("tab", name="Voices").click()
    said = page.get_by_text("This server has no connection to the internet.")
    expect(said).to_have_count(1)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expect(page.get_by_text("gaierror")).to_be_hidden()
    page.get_by_role("button", name="Download Kokoro").click()
    expect(said).to_have_count(2)
    expect(page.get_by_role("button", name="Add the files you have")).to_be_visible()
    assert_accessible(page)

    sent: list[Any] = []

    def install(route: Any) -> None:
        sent.append(route.request.post_data_json)
        route.fulfill(status=201, json={"voices": ["kokoro/af_heart"]})

    page.unroute("**/v1/library/kokoro")
    page.route("**/v1/library/kokoro", install)
    drop = """name => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["some bytes"], name));
        for (const kind of ["dragover", "drop"]) {
          document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
        }
    }"""
    page.evaluate(drop, "voices-v1.0.bin")
    expect(page.get_by_text("Now add kokoro-v1.0.int8.onnx, too.")).to_be_visible()
    page.evaluate(drop, "kokoro-v1.0.int8.onnx")
    expect(page.get_by_text("Kokoro was added.")).to_be_visible()
    assert len(sent[0]["files"]) == 2
