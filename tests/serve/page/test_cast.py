"""The people of a book on the page: who speaks is shown, decided, kept and heard."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.serve.page.actions import assert_accessible
from tests.serve.page.books import choose, done, make
from tests.serve.page.conftest import Server
from tests.serve.talk import PAGES, talk

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


def opened(page: "Page", content: bytes) -> None:
    """The people of a book, once it is known which voices are proposed."""
    from playwright.sync_api import expect

    page.route("**/proposal", lambda route: route.abort())  # measures the voices that are installed
    choose(page, "talk.epub", content)
    page.get_by_role("link", name="Who speaks").click()
    expect(page.get_by_role("heading", name="Who speaks in A Talk")).to_be_visible()


def fresh(title: str) -> bytes:
    """The story as another book, of which nothing has been decided yet."""
    return talk("en", (*PAGES, f"{title} was quiet."))


def line(page: "Page", text: str) -> "Locator":
    """A speech in the text."""
    return page.get_by_role("region", name="Text of the chapter").get_by_role("button", name=text)


def saved(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_decision_is_shown_kept_and_heard_in_the_audiobook(page: "Page") -> None:
    from playwright.sync_api import expect

    opened(page, fresh("The town"))
    expect(line(page, "Something is wrong")).to_have_accessible_name(re.compile("not sure"))
    line(page, "Something is wrong").click()
    page.get_by_label("Person").select_option("Somebody else…")
    page.get_by_label("Name", exact=True).fill("Captain Vane")
    saved(page)
    expect(line(page, "Something is wrong")).to_have_accessible_name(re.compile("Captain Vane$"))
    expect(line(page, "Something is wrong")).to_be_focused()
    page.locator("summary", has_text="Anna").click()
    page.get_by_role("combobox", name="Voice", exact=True).select_option("second:bo")
    expect(page.locator("summary", has_text="Anna")).to_contain_text("second:bo")
    page.reload()
    expect(line(page, "Something is wrong")).to_have_accessible_name(re.compile("Captain Vane$"))
    expect(page.locator("summary", has_text="Anna")).to_contain_text("second:bo")
    page.get_by_role("button", name="Use these voices").click()
    expect(page.get_by_role("checkbox", name="A voice for each person")).to_be_checked()
    with page.expect_request("**/v1/jobs") as asked:
        make(page)
    assert asked.value.post_data_json["cast"] is True
    done(page)


def test_two_people_become_one_and_two_again(page: "Page") -> None:
    from playwright.sync_api import expect

    opened(page, fresh("The village"))
    page.get_by_label("Chapter", exact=True).select_option(label="2 · The garden")
    line(page, "I know the way").click()
    page.get_by_label("Person").select_option("Mr Bell")
    page.get_by_role("checkbox", name="For all that “the man” says").check()
    saved(page)
    expect(line(page, "It is not")).to_have_accessible_name(re.compile("Mr Bell$"))
    page.reload()  # the chapter stays
    expect(line(page, "It is not")).to_have_accessible_name(re.compile("Mr Bell$"))
    page.locator("summary", has_text="Mr Bell").click()
    page.get_by_role("button", name="the man is somebody else").click()
    expect(line(page, "It is not")).to_have_accessible_name(re.compile("the man"))


def test_a_line_is_heard_with_the_voice_it_would_have_and_with_another(page: "Page") -> None:
    from playwright.sync_api import expect

    opened(page, fresh("The hill"))
    line(page, "Am I").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("With this voice")).to_have_value("first")
    page.get_by_label("With this voice").select_option("second:cleo")
    with page.expect_request("**/v1/audio/speech") as asked:
        page.get_by_role("button", name="Hear this line").click()
    assert (asked.value.post_data_json["voice"], asked.value.post_data_json["input"]) == ("second:cleo", "“Am I?”")
    page.wait_for_function("() => window.loudest > 0.01")
    page.keyboard.press("Escape")
    expect(line(page, "Am I")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(line(page, "Very late")).to_be_focused()


def test_a_book_in_another_language_and_what_fails_say_so(page: "Page") -> None:
    from playwright.sync_api import expect

    opened(page, talk("sv"))
    expect(page.locator("#book")).to_contain_text("Who speaks is found in English, German and French books")
    full = {"error": {"message": "the disk is full"}}
    page.route("**/v1/casts/*/chapters/1/speeches/*", lambda route: route.fulfill(status=507, json=full))
    line(page, "Am I").click()
    page.get_by_label("Person").select_option("The narrator")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("The disk is full.")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_axe_finds_nothing_and_it_fits_a_narrow_phone(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    opened(page, fresh("The sea"))
    expect(line(page, "Am I")).to_be_visible()
    page.locator("summary", has_text="Anna").click()
    page.locator("summary", has_text="Everyone else").click()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        assert_accessible(page)
        page.set_viewport_size({"width": 320, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
    line(page, "Am I").click()
    assert_accessible(page)
