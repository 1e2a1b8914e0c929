"""The tab Voices in a real browser: voices are heard, downloaded, dropped, renamed, chosen and deleted."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.loopback import FileServer
from tests.piper.conftest import MakeCheckpoint
from tests.serve.page.conftest import Server, add_voice
from tests.voices.hub import FREE, RESTRICTED, hub

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

__all__ = ["hub"]  # a fixture
pytestmark = pytest.mark.browser


@pytest.fixture
def own(tmp_path: Path, make_onnx: MakeCheckpoint, hub: FileServer) -> Iterator[Server]:
    """A server without a fixed default, with the voice `mine`, beside a hub."""
    add_voice(tmp_path, "mine", make_onnx("tiny", 1, "text"))
    server = Server(tmp_path, None)
    yield server
    server.kill()


@pytest.fixture
def shown(context: "BrowserContext", own: Server) -> "Page":
    page = context.new_page()
    page.goto(f"{own.url}#/voices")
    card(page, "mine").wait_for()
    card(page, "Free").wait_for()
    return page


def card(page: "Page", title: str) -> "Locator":
    return page.get_by_role("listitem", name=title, exact=True)


def menu(page: "Page", title: str) -> "Locator":
    page.get_by_label(f"More for {title}").click()
    return card(page, title)


def test_a_voice_is_heard_and_spoken_with(shown: "Page") -> None:
    from playwright.sync_api import expect

    card(shown, "mine").get_by_role("button", name="Hear mine").click()
    card(shown, "mine").get_by_role("button", name="Pause mine").wait_for()
    assert shown.evaluate("window.loudest") > 0
    card(shown, "mine").get_by_role("link", name="mine").click()
    expect(shown.get_by_role("radio", name="mine")).to_be_checked()
    expect(shown.get_by_label("Text to speak")).not_to_have_value("")  # an example, ready to be spoken


def test_a_menu_closes_by_escape_and_by_a_click_elsewhere(shown: "Page") -> None:
    from playwright.sync_api import expect

    rename = menu(shown, "mine").get_by_role("button", name="Rename")
    expect(rename).to_be_visible()
    shown.keyboard.press("Escape")
    expect(rename).to_be_hidden()
    expect(shown.get_by_label("More for mine")).to_be_focused()
    shown.keyboard.press("Enter")
    expect(rename).to_be_visible()
    shown.get_by_role("heading", name="Voices", exact=True).click()
    expect(rename).to_be_hidden()


def test_voices_are_searched_by_words_and_language(shown: "Page") -> None:
    from playwright.sync_api import expect

    expect(card(shown, "Kokoro")).to_contain_text("41 natural voices in 7 languages")
    shown.get_by_label("Search the voices").fill("german")
    expect(card(shown, "Streng")).to_be_visible()
    expect(card(shown, "mine")).to_have_count(0)
    expect(card(shown, "Kokoro")).to_have_count(0)
    shown.get_by_label("Search the voices").fill("")
    shown.get_by_role("main").get_by_label("Language").select_option("es")
    expect(card(shown, "Kokoro")).to_be_visible()
    expect(card(shown, "Streng")).to_have_count(0)


def test_a_voice_is_downloaded_and_the_tab_speak_follows(shown: "Page") -> None:
    from playwright.sync_api import expect

    shown.get_by_role("button", name="Download Free").click()
    expect(card(shown, "Free")).to_contain_text("Downloaded · CC0")
    shown.get_by_role("tab", name="Speak").click()
    expect(shown.get_by_role("radio", name=FREE)).to_be_visible()


def test_a_licence_that_restricts_the_use_is_shown_first(shown: "Page", hub: FileServer) -> None:
    from playwright.sync_api import expect

    shown.get_by_role("button", name="Download Streng").click()
    expect(card(shown, "Streng")).to_contain_text("CC BY-NC-SA 4.0")
    card(shown, "Streng").get_by_role("button", name="No, thanks").click()
    shown.get_by_role("button", name="Download Streng").click()
    assert not [name for name, _ in hub.asked if name.endswith(f"{RESTRICTED}.onnx")]
    card(shown, "Streng").get_by_role("button", name="Accept and download").click()
    expect(card(shown, "Streng")).to_contain_text("Downloaded · CC BY-NC-SA 4.0")


def test_a_failed_download_says_why_and_can_be_tried_again(shown: "Page", hub: FileServer) -> None:
    from playwright.sync_api import expect

    hub.status = 503
    shown.get_by_role("button", name="Download Free").click()
    expect(card(shown, "Free").get_by_role("alert")).to_contain_text("answers 503")
    hub.status = None
    shown.get_by_role("button", name="Download Free").click()
    expect(card(shown, "Free")).to_contain_text("Downloaded")


def test_a_library_that_could_not_be_read_says_why_and_is_read_again(
    context: "BrowserContext", own: Server, hub: FileServer
) -> None:
    from playwright.sync_api import expect

    hub.status = 503
    page = context.new_page()
    page.goto(f"{own.url}#/voices")
    expect(card(page, "Kokoro")).to_be_visible()
    expect(page.get_by_role("region", name="Library")).to_contain_text("answers 503")
    hub.status = None
    page.get_by_role("tab", name="Speak").click()
    page.get_by_role("tab", name="Voices").click()
    expect(card(page, "Free")).to_be_visible()


def test_a_voice_of_two_files_is_added_one_after_the_other_and_replaced(
    shown: "Page", make_onnx: MakeCheckpoint, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    onnx = tmp_path / "new voice.onnx"
    onnx.write_bytes(make_onnx("tiny", 1, "text").read_bytes())
    config = tmp_path / "new voice.onnx.json"
    config.write_bytes(Path(f"{make_onnx('tiny', 1, 'text')}.json").read_bytes())
    for _ in range(2):
        with shown.expect_file_chooser() as chooser:
            shown.get_by_role("button", name="Add a voice").click()
        chooser.value.set_files(onnx)
        expect(shown.get_by_text("Now add new voice.onnx.json, too.")).to_be_visible()
        with shown.expect_file_chooser() as chooser:
            shown.get_by_role("button", name="Add a voice").click()
        chooser.value.set_files(config)
        expect(card(shown, "new-voice")).to_be_visible()
    shown.get_by_role("button", name="Replace that voice").click()
    expect(shown.get_by_text("new-voice was added.")).to_be_visible()


def test_dropped_files_become_a_voice(shown: "Page", make_onnx: MakeCheckpoint, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    onnx = add_voice(tmp_path / "elsewhere", "dropped", make_onnx("tiny", 1, "text"))
    shown.evaluate(
        """() => {
             const hand = Object.assign(document.createElement("input"), { type: "file", multiple: true, id: "hand" });
             document.body.append(hand);
           }"""
    )
    shown.locator("#hand").set_input_files([onnx, Path(f"{onnx}.json")])
    shown.evaluate(
        """() => {
             const dropped = new DataTransfer();
             for (const file of document.querySelector("#hand").files) dropped.items.add(file);
             for (const name of ["dragover", "drop"]) {
               document.querySelector("#voices-panel h1").dispatchEvent(
                 new DragEvent(name, { dataTransfer: dropped, bubbles: true, cancelable: true }));
             }
           }"""
    )
    expect(card(shown, "dropped")).to_be_visible()


def test_a_voice_is_renamed_made_the_default_and_deleted(shown: "Page", own: Server) -> None:
    from playwright.sync_api import expect

    expect(card(shown, "Heart")).to_contain_text("Default")  # what was added is not
    menu(shown, "mine").get_by_role("button", name="Use by default").click()
    expect(card(shown, "mine")).to_contain_text("Default")
    included = menu(shown, "Heart")
    expect(included.get_by_role("button", name="Delete")).to_have_count(0)
    included.get_by_role("button", name="Use by default").click()
    expect(card(shown, "Heart")).to_contain_text("Default")
    mine = menu(shown, "mine")
    mine.get_by_label("Name").fill("yours")
    mine.get_by_role("button", name="Rename").click()
    expect(card(shown, "yours")).to_be_visible()
    yours = menu(shown, "yours")
    yours.get_by_role("button", name="Delete").click()
    yours.get_by_role("button", name="Delete it for good").click()
    expect(card(shown, "yours")).to_have_count(0)
    assert {path.name for path in (own.home / "voices").iterdir()} == {"default"}  # its title is gone, too


def test_a_damaged_voice_says_so_and_can_be_deleted(shown: "Page", own: Server) -> None:
    from playwright.sync_api import expect

    file = own.home / "voices" / "mine.onnx"
    file.write_bytes(file.read_bytes()[:1000])
    shown.reload()
    expect(card(shown, "mine")).to_contain_text("It is damaged.")
    expect(card(shown, "mine").get_by_role("button", name="Hear mine")).to_have_count(0)
    menu(shown, "mine").get_by_role("button", name="Delete").click()
    card(shown, "mine").get_by_role("button", name="Delete it for good").click()
    expect(card(shown, "mine")).to_have_count(0)


def test_settings_for_other_programs_are_copied(shown: "Page", own: Server, context: "BrowserContext") -> None:
    from playwright.sync_api import expect

    context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown.get_by_role("button", name="Copy: Open WebUI, API Base URL").click()
    expect(shown.get_by_role("button", name="Copy: Open WebUI, API Base URL")).to_have_text("Copied")
    assert shown.evaluate("navigator.clipboard.readText()") == f"{own.url}v1"
    shown.get_by_role("button", name="Copy: curl, Command").click()
    assert shown.evaluate("navigator.clipboard.readText()").startswith(f"curl {own.url}v1/audio/speech -H ")
