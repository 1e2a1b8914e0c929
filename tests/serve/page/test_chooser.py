"""The chooser of voices: one name for one voice, searched, heard, remembered; in the tabs Speak and Book."""

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.serve.page.actions import assert_accessible, speak, takes
from tests.serve.page.conftest import Server, opened

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.browser


def voice(number: int, **facts: Any) -> dict[str, Any]:
    able = {"knobs": {}, "speed": [0.5, 2], "phonemes": True, "seed": "bytes"}
    return {
        "id": f"kokoro/v{number}", "title": f"Voice {number}", "language": "en-us", "quality": "", "rate_hz": 24000,
        "speakers": [], "capabilities": able, **facts,
    }  # fmt: skip


@pytest.fixture
def many(context: "BrowserContext", server: Server) -> "Page":
    """A page with many more voices, two of which have the same title."""
    more = [voice(number) for number in range(30)]
    more += [
        voice(30, title="Dora", language="es", gender="female"),
        voice(31, title="Dora", language="fr", gender="female"),
    ]

    def listed(route: "Route") -> None:
        route.fulfill(json={"voices": [*route.fetch().json()["voices"], *more]})

    context.route("**/v1/audio/voices", listed)
    return opened(context, server)


def test_a_voice_is_searched_by_title_language_and_gender(many: "Page") -> None:
    from playwright.sync_api import expect

    rows = many.locator("#voices .voice:visible")
    many.get_by_label("Search the voices").fill("dora")
    expect(rows.filter(has_text="kokoro/v30")).to_be_visible()
    many.get_by_label("Search the voices").fill("spanish female dora v30")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Dora")
    expect(rows).to_contain_text("Spanish · female")
    many.get_by_label("Search the voices").fill("nobody")
    expect(many.locator("#voices")).to_contain_text("None of them matches.")
    many.get_by_label("Search the voices").fill("")
    many.get_by_role("main").get_by_label("Language").first.select_option(label="French")
    expect(rows.filter(has_text="kokoro/v31")).to_be_visible()
    expect(rows.filter(has_text="kokoro/v30")).to_have_count(0)
    assert_accessible(many)
    many.set_viewport_size({"width": 390, "height": 844})
    assert many.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_voice_is_heard_beside_the_text(page: "Page") -> None:
    with page.expect_request("**/v1/audio/speech") as asked:
        page.get_by_role("button", name="Hear second").click()
    assert asked.value.post_data_json["voice"] == "second"
    page.get_by_role("button", name="Pause second").wait_for()


def test_what_was_chosen_is_chosen_after_a_reload(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_role("radio", name="second").check()
    page.get_by_label("Speaker of second").select_option("bo")
    page.locator("summary", has_text="Pronunciation").click()
    page.get_by_label("Written", exact=True).first.fill("Siobhan")
    page.get_by_label("Spoken", exact=True).first.fill("Shi-vawn")
    page.reload()
    expect(page.get_by_role("radio", name="second")).to_be_checked()
    expect(page.get_by_label("Speaker of second")).to_have_value("bo")
    with page.expect_request("**/v1/audio/speech") as asked:
        speak(page, "Siobhan.")
    body = asked.value.post_data_json
    assert (body["voice"], body["lexicon"]) == ("second:bo", {"Siobhan": "Shi-vawn"})
    takes(page, "done").wait_for()


def test_a_title_of_any_letters_is_its_name_everywhere(context: "BrowserContext", server: Server) -> None:
    from playwright.sync_api import expect

    page = opened(context, server)
    page.goto(f"{server.url}#/voices")
    card = page.get_by_role("listitem", name="second", exact=True)
    card.locator("summary").click()
    card.get_by_label("Name").fill("Mein Erzähler №1")
    card.get_by_role("button", name="Rename").click()
    try:
        expect(page.get_by_role("listitem", name="Mein Erzähler №1", exact=True)).to_contain_text("second")
        page.get_by_role("tab", name="Speak").click()
        page.get_by_role("radio", name="Mein Erzähler №1").check()
        with page.expect_request("**/v1/audio/speech") as asked:
            speak(page, "Hello.")
        assert asked.value.post_data_json["voice"] == "second:anna"
        expect(takes(page, "done")).to_contain_text("Mein Erzähler №1 · anna")
    finally:
        httpx.patch(f"{server.url}v1/voices/second", json={"title": ""}, timeout=300).raise_for_status()
