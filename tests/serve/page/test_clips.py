"""Long recordings in the tab Train, in a real browser: cut, listened to, corrected, and trained with."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.serve.conftest import eventually
from tests.serve.page.conftest import Server, StartServer, opened
from tests.serve.page.trainings import fake, read, submit, wait_for
from tests.serve.recogniser.faster_whisper import AT_ONCE
from tests.serve.segmented import TEXTS, long_recording, use_recogniser

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Grows by a byte with each clip that is heard."""
    return tmp_path_factory.mktemp("heard") / "heard"


@pytest.fixture(scope="module")
def hearing(start_server: StartServer, heard: Path) -> Iterator[Server]:
    """A server with a recogniser, which hears more than two clips while a file beside `heard` is there."""
    heard.with_suffix(".go").touch()
    with pytest.MonkeyPatch.context() as patch:
        use_recogniser(patch)
        patch.setenv("VOXMATRIX_TEST_HEARD", str(heard))
        yield start_server()


@pytest.fixture
def held(heard: Path) -> Iterator[Path]:
    """`heard`, empty. Two clips are heard; the others when the file beside it is there, at the latest afterwards."""
    heard.write_bytes(b"")
    heard.with_suffix(".go").unlink(missing_ok=True)
    yield heard
    heard.with_suffix(".go").touch()


@pytest.fixture
def page(context: "BrowserContext", hearing: Server) -> "Page":
    return opened(context, hearing)


@pytest.fixture
def cut(hearing: Server) -> str:
    """A job that has cut a recording: its id."""
    file = httpx.post(f"{hearing.url}v1/files?name=Cut before.wav", content=long_recording(), timeout=300).json()["id"]
    job = submit(hearing, kind="segment", files=[file], language="en-US")
    assert wait_for(hearing, job, "done", "failed")["state"] == "done"
    return job


def rows(page: "Page", kind: str) -> "Locator":
    return page.locator("details.part").filter(has_text=kind).locator(".clip-rows > li")


def figure(page: "Page", name: str) -> "Locator":
    return page.locator(".figures > div").filter(has_text=name).locator("dd")


def test_a_recording_and_its_text_are_sent_and_cut_also_over_a_restart(
    page: "Page", hearing: Server, held: Path
) -> None:
    from playwright.sync_api import expect

    page.goto(f"{hearing.url}#/train/new")
    page.get_by_role("radio", name="Long recordings").check()
    button = page.get_by_role("button", name="Cut them into clips")
    button.click()
    expect(page.locator("#train")).to_contain_text("Choose a recording first.")
    page.get_by_label("Audiobooks, interviews or videos").set_input_files(
        [{"name": "A story.wav", "mimeType": "audio/wav", "buffer": long_recording()}]
    )
    page.get_by_label("What is read in them").set_input_files(
        [{"name": "story.txt", "mimeType": "text/plain", "buffer": " ".join(TEXTS[:5]).encode()}]
    )
    with page.expect_response(lambda answer: answer.url.endswith("/v1/jobs")) as sent:
        button.click()
    job = sent.value.json()
    assert (len(job["request"]["files"]), len(job["request"]["texts"])) == (1, 1)
    card = page.get_by_role("article")
    eventually(lambda: held.stat().st_size > AT_ONCE)
    expect(card).to_contain_text(re.compile(r"Running\d+ %"))
    hearing.kill()
    held.with_suffix(".go").touch()
    hearing.start()
    expect(page.get_by_role("heading", name="A story", exact=True)).to_be_visible()
    assert held.stat().st_size <= len(TEXTS) + 1  # what was heard is not heard again
    expect(figure(page, "Clips")).to_have_text("5")
    expect(page.locator(".report")).to_contain_text("music or noise, nobody speaks: 0:05")
    page.get_by_text("music or noise, nobody speaks").click()
    expect(page.locator(".report li:visible")).to_have_text([re.compile("0:11.. to 0:16..")])
    expect(rows(page, "1 doubtful clip")).to_contain_text(["Its words are not in the text."])


def test_doubtful_clips_are_heard_corrected_and_dropped_and_the_kept_ones_prepared(
    page: "Page", hearing: Server, cut: str
) -> None:
    from playwright.sync_api import expect

    page.goto(f"{hearing.url}#/train/new")
    page.get_by_role("link", name="Cut before").click()
    expect(figure(page, "Clips")).to_have_text("4")
    surest, other = rows(page, "doubtful clip").nth(0), rows(page, "doubtful clip").nth(1)
    expect(surest.get_by_role("textbox")).to_have_value(TEXTS[3])
    expect(surest).to_contain_text("50 % sure")
    expect(other).to_contain_text("37 % sure")
    surest.get_by_role("button", name=re.compile("^Play")).click()
    expect(surest.get_by_role("slider")).not_to_have_attribute("aria-valuenow", "0.00")
    assert page.evaluate("window.loudest") > 0
    surest.get_by_role("textbox").fill("These days, a chicken leg is rare.")
    surest.get_by_role("button", name="Keep").click()
    expect(surest).to_contain_text("Kept")
    expect(figure(page, "Clips")).to_have_text("5")
    other.get_by_role("textbox").fill("…")
    other.get_by_role("button", name="Keep").click()
    expect(other).to_contain_text("The text of the clip is empty.")
    other.get_by_role("button", name="Drop").click()
    expect(other).to_contain_text("Dropped")

    page.get_by_text("4 kept clips").click()
    first = rows(page, "kept clips").first
    expect(first.get_by_role("button", name="Save")).to_be_disabled()
    first.get_by_role("textbox").fill("The birch canoe <b>slid</b>.")
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_role("button", name="Save")).to_be_disabled()
    page.reload()
    expect(page.get_by_text("5 kept clips")).to_be_visible()
    for at, text in enumerate(["These days, a chicken leg is rare.", "The birch canoe <b>slid</b>."]):
        expect(rows(page, "kept clips").nth(at).get_by_role("textbox")).to_have_value(text)
    expect(page.get_by_text("1 dropped clip")).to_be_visible()
    page.get_by_role("button", name="Train with the kept clips").click()
    page.get_by_role("button", name="Use them anyway").wait_for()  # they are few
    expect(page.get_by_role("link", name="Back to the clips")).to_be_visible()
    prepared = read(hearing, page.url.rpartition("/")[2])
    assert prepared["request"] == {"kind": "prepare", "job": cut, "language": "en-US"}
    assert prepared["result"]["clips"] == 5
    page.get_by_role("button", name="Use them anyway").click()
    page.get_by_role("button", name="Start training").wait_for()
    page.get_by_label("quality", exact=True).select_option("tiny")
    with page.expect_response(lambda answer: answer.url.endswith("/v1/jobs")) as sent:
        page.get_by_role("button", name="Start training").click()
    training = sent.value.json()  # not from the address, which may still be that of the preparation
    assert training["request"]["job"] == cut
    page.get_by_role("button", name="Stop").click()
    wait_for(hearing, training["id"], "cancelled")


def test_before_words_are_heard_it_says_how_much_was_searched(page: "Page", hearing: Server) -> None:
    from playwright.sync_api import expect

    job = {**fake(1, kind="segment", state="running", progress=0.0), "files": []}
    facts = {"key": "check", "work": "seconds searched for speech", "done": 43, "total": 100, "progress": 0.0}
    page.route(f"**/v1/jobs/{job['id']}", lambda route: route.fulfill(json=job))
    events = f"id: 1\nevent: progress\ndata: {json.dumps(facts)}\n\n"
    page.route("**/events?*", lambda route: route.fulfill(body=events, content_type="text/event-stream"))
    page.goto(f"{hearing.url}#/train/{job['id']}")
    expect(page.get_by_role("article")).to_contain_text("43 % · seconds searched for speech")


def test_files_are_dropped_on_the_inputs_and_beside_them_the_page_stays(page: "Page", hearing: Server) -> None:
    page.goto(f"{hearing.url}#/voices")  # where files may be dropped anywhere
    page.goto(f"{hearing.url}#/train/new")
    page.get_by_role("radio", name="Long recordings").check()
    files = page.evaluate_handle("const t = new DataTransfer(); t.items.add(new File(['a'], 'a.wav')); t")
    drop = """(at, files) => at.dispatchEvent(
        new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}))"""
    assert page.get_by_label("Audiobooks, interviews or videos").evaluate(drop, files)  # the browser's own
    assert not page.locator("#train form").evaluate(drop, files)
    page.set_viewport_size({"width": 360, "height": 800})
    for name in ("Long recordings", "My own recordings"):
        page.get_by_role("radio", name=name).check()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_cannot_be_cut_says_why(page: "Page", hearing: Server) -> None:
    from playwright.sync_api import expect

    page.goto(f"{hearing.url}#/train/new")
    page.get_by_role("radio", name="Long recordings").check()
    page.get_by_label("Audiobooks, interviews or videos").set_input_files(
        [{"name": "a.wav", "mimeType": "audio/wav", "buffer": b"This is a text."}]
    )
    page.get_by_role("button", name="Cut them into clips").click()
    expect(page.get_by_role("article")).to_contain_text("it is a text, not a recording")
    page.get_by_role("link", name="Choose other recordings").click()
    expect(page.get_by_role("radio", name="Long recordings")).to_be_visible()
