"""What people come for, walked with as many clicks as docs/page.md says."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serve.page.actions import TEXT, drop, takes
from tests.serve.page.books import book
from tests.serve.page.clicks import COUNT, IN_HER_LANGUAGE, documented, presses
from tests.serve.page.conftest import Server, opened

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.browser
Walk = Callable[["Page"], int]


def button(page: "Page", name: str) -> "Locator":
    return page.get_by_role("button", name=name, exact=True)


def write(page: "Page", text: str) -> None:
    """Into what has the focus."""
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def with_voices(page: "Page", ids: list[str]) -> None:
    """The page of a server with more voices, like its first one."""
    voices = page.request.get(f"{page.url.split('#')[0]}v1/audio/voices").json()["voices"]
    more = [{**voices[0], "id": id, "name": id, "title": id} for id in ids]
    page.route("**/v1/audio/voices", lambda route: route.fulfill(json={"voices": [*voices, *more]}))
    page.reload()


def hears_the_example(page: "Page") -> int:
    button(page, "Speak").click()
    page.wait_for_function("() => window.loudest > 0.01")
    return presses(page)


def searches_a_voice_hears_it_and_chooses_it(page: "Page") -> int:
    with_voices(page, [f"more-{number}" for number in range(20)])  # of few, none is searched
    page.get_by_label("Search the voices").click()
    write(page, "second")
    button(page, "Hear second").click()
    page.wait_for_function("() => window.loudest > 0.01")
    page.get_by_role("radio", name="second").click()
    return presses(page)


def mixes_two_voices_and_hears_the_mixture(page: "Page") -> int:
    with_voices(page, ["kokoro/af_heart", "kokoro/bf_emma"])
    page.locator(".cast-tools > summary").click()
    page.get_by_label("Share of the second voice").click()
    with page.expect_request("**/v1/audio/speech") as asked:
        page.locator(".cast-mixing").get_by_role("button", name="Listen").click()
    assert asked.value.post_data_json["voice"].startswith("kokoro/af_heart(")
    button(page, "Add it to the voices here").click()
    return presses(page)


def gives_each_speaker_a_voice_and_hears_the_scene(page: "Page") -> int:
    write(page, "Anna: Who is there?\nBo: It is me.")  # the text has the focus
    page.locator(".cast-tools > summary").click()
    button(page, "Give each a voice").click()
    with page.expect_request("**/v1/audio/speech") as asked:
        button(page, "Speak").click()
    assert set(asked.value.post_data_json["cast"]) == {"Anna", "Bo"}
    takes(page, "done").wait_for()
    return presses(page)


def corrects_how_a_word_is_pronounced(page: "Page") -> int:
    write(page, TEXT)
    button(page, "Speak").click()
    takes(page, "done").wait_for()
    page.get_by_role("option", name="harbour.").click()
    form = page.get_by_role("form", name="Pronunciation of “harbour”")
    form.get_by_role("status").filter(has_text="harbour").wait_for()
    write(page, "port")  # into the first field, which has the focus
    with page.expect_request("**/v1/audio/speech") as asked:
        form.get_by_role("button", name="Hear it").click()
    assert asked.value.post_data_json["input"] == "port"
    form.get_by_role("button", name="Keep").click()
    form.wait_for(state="detached")
    return presses(page)


def hears_again_what_was_spoken_before_a_reload(page: "Page") -> int:
    button(page, "Speak").click()
    takes(page, "done").wait_for()
    page.reload()
    before = presses(page)
    page.get_by_role("button", name=re.compile("^Play ")).last.click()
    page.wait_for_function("() => window.loudest > 0.01")
    return presses(page) - before


def drops_a_text_and_hears_it(page: "Page") -> int:
    drop(page, "note.txt", b"The rain had stopped.")
    page.wait_for_function("() => document.querySelector('#text').value === 'The rain had stopped.'")
    button(page, "Speak").click()
    page.wait_for_function("() => window.loudest > 0.01")
    return 1 + presses(page)  # a drop is one, too


def saves_subtitles_of_a_text(page: "Page") -> int:
    write(page, TEXT)
    button(page, "Speak").click()
    takes(page, "done").wait_for()
    formats = page.get_by_label("Download as")
    formats.click()
    page.keyboard.press("Escape")
    formats.select_option("srt")  # in a list that the browser draws: one more
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("^Download .* as srt$")).click()
    assert Path(waiting.value.path()).read_text(encoding="utf-8").startswith("1\n00:00:00,")
    return 1 + presses(page)


def copies_a_line_for_another_program(page: "Page") -> int:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("tab", name="Voices").click()
    copy = page.get_by_role("button", name="Copy: curl")
    copy.click()
    copy.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl http://127.0.0.1:")
    return presses(page)


def drops_a_book_hears_its_beginning_and_makes_it(page: "Page") -> int:
    drop(page, "town.epub", book(1, 1, 1))
    button(page, "Hear the beginning of chapter 1").click()
    page.wait_for_function("() => window.loudest > 0.01")
    with page.expect_request("**/v1/jobs") as asked:
        button(page, "Make the audiobook").click()
    assert asked.value.post_data_json["kind"] == "book"
    page.get_by_role("link", name="Download (").wait_for()
    return 1 + presses(page)


#: By their words in docs/page.md.
WALKS: dict[str, Walk] = {
    "hear a sentence": hears_the_example,
    "search a voice, hear it, choose it": searches_a_voice_hears_it_and_chooses_it,
    "mix two voices, hear the mixture, keep it": mixes_two_voices_and_hears_the_mixture,
    "give each speaker of a scene a voice, and hear it": gives_each_speaker_a_voice_and_hears_the_scene,
    "hear a text, correct how a word is pronounced, hear it, keep it": corrects_how_a_word_is_pronounced,
    "hear again, after a reload, what was spoken": hears_again_what_was_spoken_before_a_reload,
    "drop a text file and hear it": drops_a_text_and_hears_it,
    "hear a text and save its subtitles": saves_subtitles_of_a_text,
    "copy a line that speaks from another program": copies_a_line_for_another_program,
    "drop a book, hear how it begins, make the audiobook": drops_a_book_hears_its_beginning_and_makes_it,
}


def test_each_task_that_is_documented_is_walked() -> None:
    assert set(documented()) == {*WALKS, IN_HER_LANGUAGE}


@pytest.mark.parametrize("task", WALKS)
def test_a_task_takes_as_many_clicks_as_documented(context: "BrowserContext", server: Server, task: str) -> None:
    context.add_init_script(COUNT)
    page = opened(context, server)
    assert WALKS[task](page) == documented()[task]
