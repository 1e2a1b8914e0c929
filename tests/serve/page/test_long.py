"""Long texts in the tab Speak: heard at once, kept, followed word by word; their words are pronounced differently."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.page.actions import (
    LONG,
    TEXT,
    advances,
    assert_accessible,
    drop,
    length,
    place,
    sliders,
    speak,
    takes,
)
from tests.serve.page.conftest import Server, opened

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.browser
#: Of which a server that takes 90 characters gets each by itself.
PARAGRAPHS = "\n\n".join(f"Here is paragraph {name}, and it is not long. It ends soon." for name in ("1", "2", "3"))


@pytest.fixture
def small(context: "BrowserContext", server: Server) -> "Page":
    """The page of a server that takes 90 characters at once."""

    def less(route: "Route") -> None:
        route.fulfill(json={**route.fetch().json(), "max_input": 90})

    context.route("**/page/settings.json", less)
    return opened(context, server)


def test_a_text_is_spoken_in_as_many_requests_as_it_takes(small: "Page") -> None:
    asked: list[Any] = []
    small.on("request", lambda request: asked.append(request) if request.url.endswith("/speech") else None)
    speak(small, PARAGRAPHS)
    takes(small, "done").wait_for()
    said = [request.post_data_json["input"].strip() for request in asked]
    assert said == PARAGRAPHS.split("\n\n")
    assert all(request.post_data_json["timestamp_granularities"] == ["word"] for request in asked)


def test_a_long_text_in_another_format_is_a_job(small: "Page") -> None:
    from playwright.sync_api import expect

    speak(small, PARAGRAPHS)
    takes(small, "done").wait_for()
    small.get_by_label("Download as").select_option("aac")
    small.get_by_role("button", name="Download first as aac").click()
    job = small.get_by_role("article", name="Speech: Here is paragraph 1").first
    expect(job).to_contain_text("Done")
    job.get_by_text("Files").click()
    expect(job.get_by_role("link", name="speech.m4a")).to_be_visible()


def test_what_was_stopped_is_there_after_a_reload_and_goes_on(page: "Page") -> None:
    from playwright.sync_api import expect

    text = LONG[:3000]
    speak(page, text)
    advances(sliders(page))
    page.wait_for_function("() => document.querySelector('.result [role=slider]').getAttribute('aria-valuemax') > 6")
    page.get_by_role("button", name="Stop").click()
    takes(page, "stopped").wait_for()
    page.reload()
    expect(takes(page, "stopped")).to_be_visible()
    expect(sliders(page)).not_to_have_attribute("aria-valuemax", "0.00")
    before = length(sliders(page))
    assert before > 5
    with page.expect_request("**/v1/audio/speech") as asked:
        page.get_by_role("button", name="Continue").click()
    rest = asked.value.post_data_json["input"]
    assert 0 < len(rest) < len(text) and rest in text
    page.get_by_role("button", name="Stop").click()
    takes(page, "stopped").wait_for()
    page.get_by_role("button", name="Play first").click()
    advances(sliders(page))
    page.get_by_role("button", name="Remove this result").click()
    expect(page.locator(".result")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("radio", name="first")).to_be_checked()
    expect(page.locator(".result")).to_have_count(0)


def test_words_light_up_while_they_are_spoken(page: "Page", server: Server) -> None:
    """The word that is lit is the one that the server's times have at the place of the player."""
    speak(page, TEXT)
    takes(page, "done").wait_for()
    slider = sliders(page)
    page.get_by_role("button", name=re.compile("(Play|Pause) first")).wait_for()
    shown = page.evaluate(
        """async (text) => {
             const { modules } = await import(document.querySelector("script[type=module]").src);
             const { player } = modules["js/sound/player.js"];
             const answer = await fetch("dev/captioned_speech", { method: "POST", body: JSON.stringify({
               input: text, voice: "first", response_format: "wav", stream: false, seed: 1 }) });
             const words = (await answer.json()).timestamps.map((one) => one.word);
             if (player.playing) player.pause();
             const seen = [];
             player.addEventListener("tick", () => {
               const lit = document.querySelector(".word[aria-current]");
               if (lit && seen.at(-1) !== lit.textContent) seen.push(lit.textContent);
             });
             player.seek(player.sound, 0);
             const ended = new Promise((resolve) =>
               player.addEventListener("change", () => player.playing || resolve()));
             player.play(player.sound);
             await ended;
             return { seen, words };
           }""",
        TEXT,
    )
    assert shown["words"] == TEXT.split()
    missed = [word for word in shown["words"] if word not in shown["seen"]]
    assert len(missed) <= len(shown["words"]) // 3, shown  # a full computer draws few frames
    in_order = iter(shown["words"])
    assert all(word in in_order for word in shown["seen"]), shown
    assert place(slider) >= 0


def test_subtitles_of_what_was_spoken(page: "Page", tmp_path: Path) -> None:
    speak(page, TEXT)
    takes(page, "done").wait_for()
    for name, begins in (("srt", "1\n00:00:00,"), ("vtt", "WEBVTT\n\n00:00:00.")):
        page.get_by_label("Download as").select_option(name)
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download first as {name}").click()
        waiting.value.save_as(tmp_path / name)
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert written.startswith(begins)
        lines = [line for line in written.splitlines() if line and not re.match(r"\d+$|\d\d:|WEBVTT", line)]
        assert " ".join(lines) == TEXT and max(map(len, lines)) <= 42
        assert lines[-1] == "Somewhere a radio was playing."  # a sentence begins its own


def test_a_word_is_pronounced_otherwise_from_now_on(page: "Page") -> None:
    from playwright.sync_api import expect

    speak(page, TEXT)
    takes(page, "done").wait_for()
    page.get_by_role("option", name="harbour.").click()
    panel = page.get_by_role("form", name="Pronunciation of “harbour”")
    expect(panel.get_by_label("Say it like")).to_be_focused()
    expect(panel.get_by_role("status")).to_have_text("harbour")  # of a voice whose phonemes are letters
    panel.get_by_label("Say it like").fill("port")
    expect(panel.get_by_role("status")).to_have_text("port")
    with page.expect_request("**/v1/audio/speech") as heard:
        panel.get_by_role("button", name="Hear it").click()
    assert heard.value.post_data_json["input"] == "port"
    assert_accessible(page)
    panel.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("option", name="harbour.")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    other = page.get_by_role("form", name="Pronunciation of “the”")
    expect(other.get_by_role("status")).to_have_text("the")  # which fills in the phonemes
    other.get_by_label("Or its phonemes").fill("ði")
    other.get_by_role("button", name="Keep").click()
    page.reload()
    expect(page.get_by_role("radio", name="first")).to_be_checked()
    with page.expect_request("**/v1/audio/speech") as asked:
        speak(page, "The harbour.")
    assert asked.value.post_data_json["lexicon"] == {"harbour": "port", "the": "[[ði]]"}


def test_the_pitch_and_phonemes_of_the_sentence_that_is_heard_are_shown(page: "Page") -> None:
    from playwright.sync_api import expect

    speak(page, TEXT)
    takes(page, "done").wait_for()
    shows = page.get_by_role("button", name="Pitch and phonemes")
    shows.click()
    sentences = [f"{sentence}." for sentence in TEXT.rstrip(".").split(". ")]
    written = page.locator(".melody svg text:not(.phonemes)")
    wave = sliders(page)
    for key, sentence in (("Home", sentences[0]), ("End", sentences[-1])):
        wave.press(key)
        expect(written).to_have_text(sentence.split())
        expect(page.locator(".melody .note")).to_contain_text(sentence)
        expect(page.locator(".melody .phonemes").first).not_to_be_empty()
    assert_accessible(page)
    shows.click()
    expect(page.locator(".melody")).to_have_count(0)


@pytest.mark.parametrize("name", ["note.txt", "note.md"])
def test_a_text_file_is_dropped(page: "Page", name: str) -> None:
    from playwright.sync_api import expect

    drop(page, name, "Ein schöner Tag.".encode("windows-1252" if name.endswith("txt") else "utf-8"))
    expect(page.get_by_label("Text to speak")).to_have_value("Ein schöner Tag.")


def test_a_book_that_is_dropped_is_opened_in_its_tab(page: "Page") -> None:
    page.route("**/v1/books/inspect", lambda route: route.fulfill(status=400, json={"error": {"message": "damaged"}}))
    with page.expect_request("**/v1/files?name=story.epub"):
        drop(page, "story.epub", b"PK")
    page.wait_for_url(re.compile("#/book/file/[0-9a-f]{32}$"))
