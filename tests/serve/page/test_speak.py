"""The tab Speak in a real browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.piper.conftest import MakeCheckpoint
from tests.serve.page.actions import LONG, TEXT, advances, length, place, sliders, speak, takes
from tests.serve.page.conftest import Server, opened

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.browser


def test_a_text_is_spoken_and_heard(page: "Page") -> None:
    speak(page, TEXT)
    advances(sliders(page))
    assert page.evaluate("window.loudest") > 0.01
    takes(page, "done").wait_for()
    assert length(sliders(page)) > 1


def test_it_is_heard_while_it_is_computed_until_it_is_stopped(page: "Page") -> None:
    from playwright.sync_api import expect

    speak(page, LONG)
    advances(sliders(page))
    assert takes(page, "speaking").count() == 1
    page.get_by_role("button", name="Stop").click()
    takes(page, "stopped").wait_for()
    expect(page.get_by_role("button", name="Play first")).to_be_enabled()
    expect(page.get_by_role("button", name="Speak")).to_be_visible()
    # What was spoken is kept, and can be heard.
    page.get_by_role("button", name="Play first").click()
    advances(sliders(page))


def test_the_waveform_is_drawn_and_a_click_seeks(page: "Page") -> None:
    from playwright.sync_api import expect

    speak(page, TEXT)
    takes(page, "done").wait_for()
    page.get_by_role("button", name="Pause first").click()
    expect(page.get_by_role("button", name="Play first")).to_be_visible()
    slider = sliders(page)
    box, paused_at = slider.bounding_box(), slider.get_attribute("aria-valuenow")
    assert box is not None and paused_at is not None
    slider.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(slider).not_to_have_attribute("aria-valuenow", paused_at)
    assert place(slider) == pytest.approx(length(slider) / 2, abs=0.05 * length(slider))
    colours = page.evaluate(
        """() => {
             const canvas = document.querySelector("canvas");
             const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
             const seen = new Set();
             for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(data.slice(i, i + 3).join());
             return seen.size;
           }"""
    )
    assert colours >= 2  # the ink, and the accent of what was heard


@pytest.mark.parametrize(("format_name", "begins"), [("wav", b"RIFF"), ("flac", b"fLaC"), ("opus", b"OggS")])
def test_speech_is_downloaded_in_the_chosen_format(
    page: "Page", tmp_path: Path, format_name: str, begins: bytes
) -> None:
    page.get_by_label("Download as").select_option(format_name)
    speak(page, "Hello there, harbour!")
    takes(page, "done").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Download first as {format_name}").click()
    assert waiting.value.suggested_filename == f"hello-there-harbour.{format_name}"
    waiting.value.save_as(tmp_path / "speech")
    assert (tmp_path / "speech").read_bytes().startswith(begins)


def test_voices_are_compared_and_one_plays_at_a_time(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_role("switch", name="Compare").click()
    page.get_by_role("checkbox", name="second").check()
    page.get_by_label("Speaker of second").select_option("bo")
    speak(page, TEXT)
    first, second = sliders(page).nth(0), sliders(page).nth(1)
    advances(first)  # before both are done, when a slow computer has played it to its end
    expect(takes(page, "done")).to_have_count(2)
    page.get_by_role("button", name="Play second · bo").click()
    advances(second)
    expect(page.get_by_role("button", name="Pause second · bo")).to_be_visible()
    expect(page.get_by_role("button", name="Play first")).to_be_visible()
    left = place(first)
    advances(second)
    assert place(first) == left


def sent(page: "Page", text: str) -> dict[str, Any]:
    """Speak a text, and return what the page asked the server for."""
    with page.expect_request("**/v1/audio/speech") as asked:
        speak(page, text)
    takes(page, "done").wait_for()
    return dict(asked.value.post_data_json)


def test_a_voice_speaks_as_its_sliders_say_which_are_moved_by_keyboard(page: "Page") -> None:
    from playwright.sync_api import expect

    assert sent(page, "Hello.")["knobs"] == {}
    page.get_by_role("slider", name="Speed 1.00 ×").press("ArrowRight")
    page.get_by_text("More settings").press("Enter")
    sound = page.get_by_label("Variation of the sound 0.667")
    sound.press("Home")
    expect(page.get_by_label("Variation of the sound 0", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Variation of the rhythm 0.8")).to_be_focused()
    asked = sent(page, "Hello again.")
    assert (asked["speed"], asked["knobs"]) == (1.05, {"noise": 0})
    page.get_by_role("switch", name="Compare").click()  # what was set stays
    page.get_by_role("checkbox", name="second").check()
    speak(page, "Both of you.")
    expect(takes(page, "done")).to_have_count(2)
    expect(takes(page, "done").first).to_contain_text("1.05 ×")
    page.get_by_role("button", name="Use the defaults").press("Enter")
    expect(page.get_by_text("More settings")).to_be_focused()
    expect(sound).to_be_visible()
    page.get_by_role("checkbox", name="second").uncheck()
    asked = sent(page, "As before.")
    assert (asked["speed"], asked["knobs"]) == (1.05, {})


def test_a_voice_has_no_sliders_for_what_it_cannot_do(context: "BrowserContext", server: Server) -> None:
    from playwright.sync_api import expect

    def other(route: "Route") -> None:
        found = route.fetch().json()
        by_id = {voice["id"]: voice for voice in found["voices"]}
        plain, fixed = by_id["first"], by_id["second"]
        plain["capabilities"].update(speed=[0.8, 1.5], knobs={})
        fixed["capabilities"].update(
            speed=None, knobs={"warmth": {"title": "Warmth", "default": 3, "low": 1, "high": 5}}
        )
        route.fulfill(json=found)

    context.route("**/v1/audio/voices", other)
    page = opened(context, server)
    speed, more = page.get_by_role("slider", name="Speed"), page.get_by_text("More settings")
    assert (speed.get_attribute("min"), speed.get_attribute("max")) == ("0.8", "1.5")
    more.click()
    all_can_do = page.locator(".knobs", has_text="More settings").get_by_role("slider")
    expect(all_can_do).to_have_count(2)  # pauses and volume
    page.get_by_role("radio", name="second").check()
    expect(speed).to_have_count(0)
    warmth = page.get_by_label("Warmth 3")
    assert [warmth.get_attribute(name) for name in ("min", "max", "step")] == ["1", "5", "0.02"]


def test_pauses_volume_and_pronunciation_are_those_of_the_next_text(page: "Page") -> None:
    page.get_by_text("More settings").click()
    page.get_by_label("Pauses 0.20 s").press("Home")
    page.get_by_label("Volume 100 %").press("ArrowRight")
    page.locator("summary", has_text="Pronunciation").click()
    page.get_by_label("Written", exact=True).first.fill("Siobhan")
    page.get_by_label("Spoken", exact=True).first.fill("Shi-vawn")
    asked = sent(page, "Siobhan is here.")
    assert (asked["sentence_pause"], asked["volume_multiplier"]) == (0, 1.05)
    assert asked["lexicon"] == {"Siobhan": "Shi-vawn"}
    with page.expect_request("**/v1/audio/speech") as heard:
        page.get_by_role("button", name="Hear it").first.click()
    assert heard.value.post_data_json["input"] == "Shi-vawn"


def test_the_text_survives_a_reload(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_label("Text to speak").fill("What was I about to say?")
    page.reload()
    expect(page.get_by_label("Text to speak")).to_have_value("What was I about to say?")
    expect(page.locator("#count")).to_have_text("24 characters")


def test_a_voice_that_came_meanwhile_is_there_when_the_tab_is_shown(
    page: "Page", server: Server, make_onnx: MakeCheckpoint
) -> None:
    from playwright.sync_api import expect

    page.get_by_role("radio", name="second").check()
    page.get_by_role("tab", name="Jobs").click()
    file = server.add_voice("newcomer", make_onnx("tiny", 1, "text"))
    page.get_by_role("tab", name="Speak").click()
    expect(page.get_by_role("radio", name="newcomer")).to_be_visible()
    expect(page.get_by_role("radio", name="second")).to_be_checked()
    file.write_bytes(file.read_bytes()[:1000])
    page.get_by_role("radio", name="newcomer").check()
    speak(page, "Hello.")
    expect(page.get_by_role("alert")).to_contain_text("The voice newcomer cannot be loaded; choose another.")
    page.get_by_role("tab", name="Jobs").click()
    page.get_by_role("tab", name="Speak").click()
    expect(page.locator(".voice", has_text="newcomer")).to_contain_text("It cannot be loaded.")
    file.unlink()


@pytest.mark.parametrize("width", [320, 390])
def test_every_tab_is_in_reach_on_a_phone(page: "Page", width: int) -> None:
    from playwright.sync_api import expect

    page.set_viewport_size({"width": width, "height": 700})
    right = 0.0
    for tab in page.get_by_role("tab").all():
        box = tab.bounding_box()
        assert box is not None and box["x"] >= right and box["y"] + box["height"] <= 700
        right = box["x"] + box["width"]
        assert tab.evaluate("tab => tab.scrollWidth <= tab.clientWidth")  # its name is whole
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert right <= width


def test_earlier_results_stay_and_play_again(page: "Page") -> None:
    speak(page, TEXT)
    takes(page, "done").wait_for()
    speak(page, "The last text.")
    takes(page, "done").wait_for()
    earlier = page.get_by_role("article", name=TEXT[:20])
    earlier.get_by_role("button", name="Play first").click()
    advances(earlier.get_by_role("slider"))


def test_everything_is_reached_by_keyboard(page: "Page") -> None:
    from playwright.sync_api import expect

    page.keyboard.type(TEXT)  # the page opens in the text
    page.keyboard.press("Control+Enter")
    takes(page, "done").wait_for()
    slider = sliders(page)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "slider":
            break
    expect(slider).to_be_focused()
    play = page.get_by_role("button", name="Play first")
    play.wait_for()  # its sound has ended
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    advances(slider)
    page.keyboard.press("Space")
    expect(play).to_be_visible()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuenow", slider.get_attribute("aria-valuemax") or "")
    page.keyboard.press("ArrowLeft")
    expect(slider).not_to_have_attribute("aria-valuenow", slider.get_attribute("aria-valuemax") or "")


def test_two_tabs_do_not_disturb_each_other(context: "BrowserContext", server: Server) -> None:
    one, two = opened(context, server), opened(context, server)
    speak(one, TEXT)
    speak(two, "Something else.")
    for tab in (one, two):
        takes(tab, "done").wait_for()
        assert tab.locator(".result").count() == 1
