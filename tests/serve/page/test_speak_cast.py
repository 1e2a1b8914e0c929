"""The tab Speak: a voice for each speaker that the text names, tags at the cursor, and what the command line takes."""

from typing import TYPE_CHECKING

import pytest

from tests.serve.page.actions import assert_accessible, takes
from tests.serve.page.conftest import Server

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

DIALOGUE = "Anna: Who is there?\nBo: It is me.\n\nNobody answers."


def opened(page: "Page", text: str) -> "Locator":
    """The text, with what is below it opened."""
    field = page.get_by_label("Text to speak")
    field.fill(text)
    page.locator(".cast-tools > summary").click()
    page.get_by_role("heading", name="Speakers in this text").wait_for()
    return field


def test_each_speaker_gets_a_voice_and_the_command_line_gets_the_same(page: "Page") -> None:
    from playwright.sync_api import expect

    opened(page, DIALOGUE)
    expect(page.locator(".cast-tools > summary")).to_have_text("Speakers: Anna, Bo")
    page.get_by_role("button", name="Give each a voice").click()
    chosen = [page.get_by_label(f"Voice of {name}").input_value() for name in ("Anna", "Bo")]
    assert len({*chosen, "first"}) == 3  # which voices, depends on those that other tests have made
    lines = "\n".join(f"{name}|{voice.replace(':', '|')}" for name, voice in zip(("Anna", "Bo"), chosen, strict=True))
    expect(page.locator(".cast-line code").first).to_have_text(lines, use_inner_text=True)
    with page.expect_request("**/v1/audio/speech") as asked:
        page.get_by_role("button", name="Speak", exact=True).click()
    assert asked.value.post_data_json["cast"] == dict(zip(("Anna", "Bo"), chosen, strict=True))
    expect(takes(page, "done")).to_have_count(1)
    page.reload()
    opened(page, DIALOGUE)
    expect(page.get_by_label("Voice of Bo")).to_have_value(chosen[1])
    page.get_by_label("Voice of Bo").select_option("As the rest of the text")
    expect(page.locator(".cast-line code").first).to_have_text(lines.split("\n")[0])
    assert_accessible(page)


def test_tags_are_put_where_the_cursor_is_and_undone(page: "Page") -> None:
    from playwright.sync_api import expect

    field = opened(page, "One two three.")
    field.evaluate("field => field.setSelectionRange(4, 7)")
    page.get_by_role("button", name="Slower").click()
    expect(field).to_have_value("One [rate:0.8] two [rate] three.")
    field.press("Control+z")
    expect(field).to_have_value("One two three.")
    field.evaluate("field => field.setSelectionRange(4, 4)")
    page.get_by_role("button", name="Pause here").click()
    expect(field).to_have_value("One [pause:1s] two three.")
    field.evaluate("field => field.setSelectionRange(15, 18)")
    other = page.get_by_label("Another voice")
    speaker = other.locator('option[value^="second:"]').last.get_attribute("value")
    other.select_option(speaker)
    page.get_by_role("button", name="Speaks this").click()
    assert speaker is not None and speaker.startswith("second:")
    expect(field).to_have_value(f"One [pause:1s] [voice:{speaker}] two [voice] three.")
    expect(page.get_by_text("None. Begin lines")).to_be_visible()  # a voice is no speaker
    page.get_by_role("button", name="Speak", exact=True).click()
    expect(takes(page, "done")).to_have_count(1)


def test_a_play_gets_colons_and_one_line_with_a_colon_is_no_speaker(page: "Page") -> None:
    from playwright.sync_api import expect

    field = opened(page, "ALGERNON. Did you hear?\nLANE. I did not, sir.")
    page.get_by_role("button", name="Put colons behind the names").click()
    expect(field).to_have_value("ALGERNON: Did you hear?\nLANE: I did not, sir.")
    expect(page.get_by_label("Voice of LANE")).to_be_visible()
    field.fill("Note: this is read as it is.")
    expect(page.get_by_text("None. Begin lines")).to_be_visible()


def test_two_voices_of_one_network_are_mixed(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    (first, *_) = page.request.get(f"{server.url}v1/audio/voices").json()["voices"]
    voices = [{**first, "id": f"kokoro/{name}", "name": f"kokoro/{name}"} for name in ("af_heart", "bf_emma")]
    page.route("**/v1/audio/voices", lambda route: route.fulfill(json={"voices": [first, *voices]}))
    page.reload()
    opened(page, DIALOGUE)
    page.get_by_label("Share of the second voice").press("ArrowLeft")
    expect(page.locator(".cast-mixing .number")).to_have_text("af_heart 60% · bf_emma 40%")
    with page.expect_request("**/v1/audio/speech") as asked:
        page.locator(".cast-mixing").get_by_role("button", name="Listen").click()
    assert asked.value.post_data_json["voice"] == "kokoro/af_heart(6)+bf_emma(4)"
    page.get_by_role("button", name="Add it to the voices here").click()
    page.get_by_label("Voice of Anna").select_option("kokoro/af_heart(6)+bf_emma(4)")
    expect(page.locator(".cast-line code").first).to_have_text("Anna|kokoro/af_heart(6)+bf_emma(4)")
    assert_accessible(page)
