"""Voices of seconds and the settings of engines in a real browser, whose microphone hears a sample."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.piper.conftest import MakeCheckpoint
from tests.serve.page.actions import assert_accessible, speak, takes
from tests.serve.page.conftest import Server, add_voice
from tests.serve.page.microphone import browser
from tests.toys.engines import install_engine, write_toy_voice
from tests.toys.recordings import recording

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

__all__ = ["browser"]  # a fixture
pytestmark = pytest.mark.browser
REFERENCE = 'reference = {seconds = [3, 10], transcript = "optional"}'


@pytest.fixture
def own(tmp_path: Path, make_onnx: MakeCheckpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server with a voice that needs no engine, and its home as that of the test."""
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path))
    add_voice(tmp_path, "mine", make_onnx("tiny", 1, "text"))
    server = Server(tmp_path, None)
    yield server
    server.kill()


@pytest.fixture
def form(context: "BrowserContext", own: Server) -> "Page":
    """The form for a voice of seconds, with two engines."""
    install_engine()
    install_engine("words", **{REFERENCE: REFERENCE.replace("optional", "required")})
    page = context.new_page()
    page.goto(f"{own.url}#/voices")
    page.get_by_role("link", name="Clone a voice").click()
    page.get_by_label("Engine").wait_for()
    return page


def choose(page: "Page", file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)


def verdict(page: "Page") -> "Locator":
    return page.locator("#voices-panel .verdict-of")


def describe(page: "Page", name: str = "me") -> None:
    """Say whose voice it is, that they agree, and what it is called."""
    page.get_by_label("Whose voice is it?").fill("Joe")
    page.get_by_label("The voice in this recording is that of Joe, who agrees that software imitates it.").check()
    page.get_by_label("Name of the new voice").fill(name)


def uploads(server: Server) -> list[Path]:
    return list((server.home / "jobs" / "server" / "uploads").glob("*/*"))


def test_a_voice_is_recorded_heard_kept_spoken_with_and_deleted(form: "Page", own: Server) -> None:
    from playwright.sync_api import expect

    form.get_by_role("button", name="Turn on the microphone").click()
    form.get_by_role("button", name="Record", exact=True).click()
    form.get_by_role("button", name=re.compile(r"Stop · 0:0[5-9]")).click()
    expect(verdict(form)).to_contain_text(re.compile(r"(Good recording|Usable).*[4-9]\.\d s of speech"))
    form.get_by_role("button", name="Play the recording").click()
    form.wait_for_function("() => window.loudest > 0.05")
    form.get_by_role("main").get_by_label("Language").select_option("de")
    form.get_by_label("What is said in it").fill("Some words.")
    describe(form)
    form.get_by_role("button", name="Keep the voice").click()

    expect(form.get_by_role("radio", name="toy/me")).to_be_checked()  # in the tab Speak
    kept = json.loads((own.home / "voices" / "toy" / "me.voice").read_text())
    assert (kept["language"], kept["reference"]["transcript"], kept["consent"]["by"]) == ("de", "Some words.", "Joe")
    assert "Joe, who agrees" in kept["consent"]["statement"]
    speak(form, "Guten Morgen.")
    takes(form, "done").wait_for()

    form.get_by_role("tab", name="Voices").click()
    card = form.get_by_role("listitem", name="me", exact=True)
    expect(card).to_contain_text("Cloned")
    form.get_by_label("More for me").click()
    card.get_by_role("button", name="Delete").click()
    card.get_by_role("button", name="Delete it for good").click()
    expect(card).to_have_count(0)
    assert not list((own.home / "voices" / "references").iterdir())


def test_what_is_wrong_with_a_file_is_said_for_the_chosen_engine(form: "Page", own: Server, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    choose(form, recording(tmp_path / "bad.wav", 2.0, gain=8.0, noise=0.3))
    expect(verdict(form)).to_contain_text("Not usable")
    for words in (
        "bad.wav has 2.0 s of speech, and the engine needs 3 s.",
        "clipped at full scale.",
        "dB below the speech; the voice would learn it.",
        "Record some sentences more.",
        "Record it again in a quiet room, near the microphone.",
    ):
        expect(verdict(form)).to_contain_text(words)
    describe(form)
    form.get_by_role("button", name="Keep the voice").click()
    expect(form.get_by_role("alert")).to_contain_text("record it again in a quiet room")
    choose(form, recording(tmp_path / "long.wav", 15.0))
    expect(verdict(form)).to_contain_text(re.compile(r"Only \d\.\d s of 1\d\.\d s are imitated"))
    form.get_by_label("Engine").select_option(label="words")
    form.get_by_label("What is said in it").fill("All of it.")
    form.get_by_label("What is said in it").blur()
    expect(verdict(form)).to_contain_text("Choose a recording of at most 10 s, or leave out the transcript.")
    assert len(uploads(own)) == 1  # nothing is kept of the first
    form.get_by_role("link", name="All voices").click()
    form.get_by_role("listitem", name="mine").wait_for()
    for _ in range(100):
        form.wait_for_timeout(50)
        if not uploads(own):
            break
    assert not uploads(own)


def test_without_consent_or_words_that_are_needed_nothing_is_sent(form: "Page", own: Server, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    write_toy_voice("me", engine="words")
    asked: list[str] = []
    form.on("request", lambda request: asked.append(request.url) if request.url.endswith("/clone") else None)
    form.get_by_label("Engine").select_option(label="words")
    keep = form.get_by_role("button", name="Keep the voice")
    describe(form)
    form.get_by_role("checkbox").uncheck()
    form.get_by_label("What is said in it").fill("Some words.")
    keep.click()
    form.get_by_role("checkbox").check()
    form.get_by_label("What is said in it").fill("")
    keep.click()
    form.get_by_label("What is said in it").fill("Some words.")
    keep.click()
    expect(form.get_by_role("alert")).to_contain_text("Record the voice, or choose a file.")
    assert not asked
    choose(form, recording(tmp_path / "me.wav"))
    expect(verdict(form)).to_contain_text("Good recording")
    keep.click()
    expect(form.get_by_role("alert")).to_contain_text("There is already a voice words/me; choose another name.")
    form.get_by_label("Name of the new voice").fill("other")
    keep.click()
    expect(form.get_by_role("radio", name="words/other")).to_be_checked()


def test_a_recording_is_dropped(form: "Page", tmp_path: Path) -> None:
    from playwright.sync_api import expect

    form.locator("input[type=file]").first.evaluate("input => (input.hidden = true)")
    form.evaluate("document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'hand' }))")
    form.locator("#hand").set_input_files(recording(tmp_path / "me.wav"))
    form.evaluate(
        """() => {
             const dropped = new DataTransfer();
             dropped.items.add(document.querySelector("#hand").files[0]);
             for (const name of ["dragover", "drop"]) {
               document.querySelector("h1").dispatchEvent(
                 new DragEvent(name, { dataTransfer: dropped, bubbles: true, cancelable: true }));
             }
           }"""
    )
    expect(verdict(form)).to_contain_text("Good recording")
    form.get_by_role("link", name="All voices").click()
    expect(form.get_by_text("A Piper voice is two files")).to_have_count(0)


def test_without_an_engine_it_is_said_what_to_type(context: "BrowserContext", own: Server) -> None:
    from playwright.sync_api import expect

    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{own.url}#/voices/clone")
    expect(page.get_by_role("heading", name="No engine that clones voices is installed")).to_be_visible()
    page.get_by_role("article", name="hf").get_by_role("button", name=re.compile("Copy: hf, Pocket TTS")).click()
    command = "voxmatrix engines install hf --weights pocket"
    expect(page.get_by_role("article", name="hf")).to_contain_text(command)
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('voxmatrix')")
    assert page.evaluate("navigator.clipboard.readText()") == command


def test_the_engines_are_listed_with_what_is_missing(context: "BrowserContext", own: Server) -> None:
    from playwright.sync_api import expect

    install_engine()
    (own.home / "engines" / "broken").mkdir()
    (own.home / "engines" / "broken" / "engine.toml").write_text("[engine]\nname = 3\n")
    page = context.new_page()
    page.goto(f"{own.url}#/voices")
    engines = page.get_by_role("region", name="Engines")
    expect(engines.get_by_role("article", name="toy")).to_contain_text("Installed, on cpu")
    expect(engines.get_by_role("article", name="broken")).to_contain_text("engine.name")
    expect(engines.get_by_role("article", name="hf")).to_contain_text("VibeVoice 1.5B · clones voices")


def test_an_engines_settings_are_shown_sent_and_heard(context: "BrowserContext", own: Server) -> None:
    from playwright.sync_api import expect

    install_engine()
    install_engine("narrow", **{"most = 2.0": "most = 1.25"})
    write_toy_voice("bell")
    write_toy_voice("bell", engine="narrow")
    bodies: list[dict[str, Any]] = []

    def note(request: Any) -> None:
        if request.url.endswith("/v1/audio/speech"):
            bodies.append(request.post_data_json)

    page = context.new_page()
    page.on("request", note)
    page.goto(f"{own.url}#/speak/toy%2Fbell")
    expect(page.get_by_role("radio", name="toy/bell")).to_be_checked()
    page.get_by_text("More settings").click()
    pitch, steps = page.get_by_label("Pitch 1"), page.get_by_label("Steps 2")
    expect(page.locator(".voice-style")).to_contain_text("0.5 to 2, usually 1")
    expect(page.locator(".voice-style")).to_contain_text("1 to 10, usually 2")
    assert [steps.get_attribute(name) for name in ("min", "max", "step", "value")] == ["1", "10", "1", "2"]
    pitch.press("End")
    steps.press("ArrowRight")
    speak(page, "Good morning.")
    takes(page, "done").wait_for()
    page.get_by_role("radio", name="narrow/bell").check()
    expect(page.locator(".voice-style")).to_contain_text("0.5 to 1.25, usually 1")
    speak(page, "Good morning.")
    takes(page, "done").wait_for()
    page.get_by_role("radio", name="mine").check()
    expect(page.locator(".voice-style")).not_to_contain_text("Pitch")
    speak(page, "Good morning.")
    takes(page, "done").wait_for()
    assert [body["knobs"] for body in bodies] == [{"pitch": 2, "steps": 3}, {"pitch": 1.25, "steps": 3}, {}]
    spoken = [
        httpx.post(f"{own.url}v1/audio/speech", json={**body, "seed": 1}, timeout=300).content
        for body in (bodies[0], {**bodies[0], "knobs": {}})
    ]
    assert spoken[0] != spoken[1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_nothing_is_too_wide(form: "Page", scheme: Any, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    form.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    form.get_by_role("button", name="Turn on the microphone").click()
    form.get_by_role("button", name="Record", exact=True).wait_for()
    choose(form, recording(tmp_path / "bad.wav", 2.0, gain=8.0, noise=0.3))
    expect(verdict(form)).to_contain_text("Not usable")
    assert_accessible(form)
    form.get_by_role("link", name="All voices").click()
    form.get_by_role("article", name="hf").wait_for()
    assert_accessible(form)
