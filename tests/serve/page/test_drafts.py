"""Books open whatever else is being measured; what was begun stands on its shelf; a book is seen as bars."""

import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.serve.page.actions import assert_accessible
from tests.serve.page.books import TITLES, book, chapter, choose
from tests.serve.page.conftest import Server
from tests.serve.page.trainings import fake

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_books_open_one_after_another_while_the_voice_is_still_being_measured(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    before = len(httpx.get(f"{server.url}v1/books/drafts", timeout=300).json()["data"])  # of other tests
    asked: list[Any] = []
    page.route("**/v1/voices/speed", lambda route: asked.append(route.request.url))  # and never answered
    for number in range(3):
        choose(page, f"{number}.txt", f"CHAPTER 1\n\nLine {number}.\n\nCHAPTER 2\n\nThe end.\n".encode())
        expect(chapter(page, 1)).to_be_checked()
        expect(page.locator(".estimate")).to_contain_text("of speech")
    page.get_by_role("link", name="Audiobooks").click()
    expect(page.get_by_role("heading", name="Opened, not made yet")).to_be_visible()
    drafts = page.locator(".draft")
    expect(drafts).to_have_count(before + 3)
    assert_accessible(page)
    page.get_by_role("button", name=re.compile("^Remove ")).first.click()
    expect(drafts).to_have_count(before + 2)
    assert asked
    page.unroute("**/v1/voices/speed")
    page.route("**/v1/voices/speed", lambda route: route.fulfill(json={"speed": 0.02, "speed_if_free": 0.05}))
    drafts.first.get_by_role("link").click()
    expect(page.locator(".estimate")).to_have_text(
        re.compile(r"of speech · \d+ (s|min) to \d+ (s|min) to make it here")
    )


def test_a_book_is_seen_as_bars_which_keys_and_screen_readers_reach(page: "Page") -> None:
    from playwright.sync_api import expect

    choose(page, "town.epub", book(2, 20, 5))
    bars = page.get_by_role("slider", name="Length of the chapters")
    expect(bars).to_have_attribute("aria-valuetext", re.compile(rf"^Chapter 1 · {TITLES[0]} · \d+ s$"))
    bars.press("End")
    bars.press("ArrowLeft")
    expect(bars).to_have_attribute("aria-valuetext", re.compile(rf"^Chapter 2 · {TITLES[1]}"))
    bars.press("Enter")
    expect(chapter(page, 2)).to_be_focused()
    page.keyboard.press("Space")
    expect(bars).to_have_attribute("aria-valuetext", re.compile("left out$"))
    assert bars.locator("path.on").get_attribute("d").count("M") == 2  # type: ignore[union-attr]
    heights = [float(height) for height in re.findall(r"v-([\d.]+)h", bars.locator("path.on").get_attribute("d") or "")]
    assert heights[0] < heights[1] < 100
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        assert_accessible(page)
    page.set_viewport_size({"width": 390, "height": 664})
    box = bars.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_recordings_that_were_checked_stand_beside_the_trainings_until_one_is_trained(page: "Page") -> None:
    from playwright.sync_api import expect

    checked = fake(1, kind="prepare", title="en", state="done", request={"kind": "prepare", "file": "a" * 32})
    other = fake(2, kind="prepare", title="sv", state="done", request={"kind": "prepare", "file": "b" * 32})
    cut = fake(3, kind="segment", title="cut", state="running", request={"kind": "segment", "files": ["c" * 32]})
    trained = fake(4, kind="train", title="voice", state="done", request={"kind": "train", "file": "b" * 32})

    def listed(route: Any) -> None:
        jobs = [one for one in (trained, cut, other, checked) if f"kind={one['kind']}" in route.request.url]
        route.fulfill(json={"data": jobs, "has_more": False})

    page.route("**/v1/jobs?*", listed)
    page.get_by_role("tab", name="Train").click()
    drafts = page.locator("#train .lists a")
    expect(drafts).to_have_count(2)
    expect(drafts.first).to_contain_text("cut")
    expect(drafts.last).to_have_attribute("href", f"#/train/{checked['id']}")
    assert_accessible(page)
