"""The tab Record in a real browser, whose microphone hears a sample."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import soundfile

from tests.serve.page.actions import advances, assert_accessible
from tests.serve.page.conftest import Server, opened
from tests.serve.page.microphone import browser
from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import PrepareSettings

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

__all__ = ["browser"]  # a fixture
pytestmark = pytest.mark.browser
#: Read aloud, each takes a little more than a second, which is what is recorded of it.
TEXTS = ("The first line.", "A second line.", "One third line.", "The fourth one.", "A fifth of it.", "One sixth more.",
         "The seventh sea.", "An eighth note.", "A ninth night.", "One tenth left.")  # fmt: skip

FAIL = "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', '%s') }"


def make_list(server: Server, name: str, texts: tuple[str, ...] = TEXTS) -> None:
    body = {"profile": "Åsa", "name": name, "language": "en-US", "prompts": texts}
    assert httpx.post(f"{server.url}v1/recordings", json=body, timeout=300).status_code == 201


def studio(page: "Page", server: Server, name: str) -> None:
    """Open the studio of a list. The microphone is allowed already, and goes on by itself."""
    page.goto(f"{server.url}#/record/Åsa/{name}")
    page.get_by_role("heading", name=name).wait_for()
    ready(page)


def ready(page: "Page") -> None:
    page.get_by_role("button", name="Record", exact=True).wait_for()


def begin(page: "Page") -> None:
    from playwright.sync_api import expect

    page.keyboard.press("Space")
    expect(page.locator(".under-main")).to_have_text(re.compile(r"^0:(0(1\.[2-9]|[2-9])|[1-9])"))


def record(page: "Page") -> None:
    """One take, until it is judged."""
    from playwright.sync_api import expect

    begin(page)
    page.keyboard.press("Space")
    ready(page)
    expect(page.get_by_role("button", name="Play")).to_be_enabled()


def states(server: Server, name: str) -> list[str]:
    prompts = httpx.get(f"{server.url}v1/recordings/Åsa/{name}", timeout=300).json()["prompts"]
    return [prompt["state"] for prompt in prompts]


def test_ten_prompts_are_recorded_by_keyboard_and_prepare_takes_them(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    page.get_by_role("tab", name="Record").click()
    another, name = page.get_by_role("button", name="New list"), page.get_by_label("Whose voice is it?")
    expect(another.or_(name)).to_be_visible()  # depends on what other tests recorded
    if another.is_visible():
        another.click()
    name.fill("Åsa")
    page.get_by_role("radio", name="My own sentences").check()
    page.get_by_role("textbox", name="Sentences").fill("\n\n".join(TEXTS))
    page.get_by_label("Name of the list").fill("ten")
    page.get_by_role("button", name="Create the list").click()
    expect(page.get_by_text("0 of 10 recorded")).to_be_visible()
    ready(page)
    for number, text in enumerate(TEXTS, start=1):
        expect(page.get_by_text(f"Sentence {number} of 10")).to_be_visible()
        expect(page.locator(".sentence")).to_have_text(text)
        record(page)
        page.keyboard.press("Enter")
    expect(page.get_by_text("10 of 10 recorded")).to_be_visible()
    expect(page.locator(".verdict-of")).to_contain_text("Every sentence is recorded or skipped.")
    settings = PrepareSettings(
        quality="medium", language="en-US", phoneme_type="text", cache=server.home / "other cache",
        profile="Åsa", prompt_list="ten",
    )  # fmt: skip
    prepared = prepare(server.home / "recordings", settings)
    assert [clip.text for clip in prepared.clips] == list(TEXTS)
    assert not [problem for problem in prepared.problems if problem.severity == "error"]
    info = soundfile.info(server.home / "recordings" / "Åsa" / "ten" / "0001.wav")
    assert (info.channels, info.subtype) == (1, "PCM_16") and info.duration > 1.1


def test_a_reload_and_a_second_tab_show_the_same(page: "Page", context: "BrowserContext", server: Server) -> None:
    from playwright.sync_api import expect

    make_list(server, "kept", TEXTS[:3])
    studio(page, server, "kept")
    record(page)
    page.keyboard.press("Enter")
    page.keyboard.press("s")
    expect(page.get_by_text("Sentence 3 of 3")).to_be_visible()
    other = opened(context, server)
    other.goto(page.url)
    page.reload()
    for each in (page, other):
        expect(each.get_by_text("Sentence 3 of 3")).to_be_visible()
        expect(each.get_by_text("1 of 3 recorded")).to_be_visible()
        expect(each.get_by_role("button", name="The first line.")).to_contain_text("recorded")
        expect(each.get_by_role("button", name="A second line.")).to_contain_text("skipped")
    ready(other)
    record(other)
    page.evaluate("window.dispatchEvent(new Event('focus'))")  # the person comes back to the first tab
    expect(page.get_by_text("2 of 3 recorded")).to_be_visible()
    # What was recorded elsewhere can be heard here.
    expect(page.get_by_role("button", name="Play")).to_be_enabled()
    page.keyboard.press("p")
    advances(page.get_by_role("slider"))
    assert page.evaluate("window.loudest") > 0.05


def test_a_take_is_discarded_redone_and_heard(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    make_list(server, "again", TEXTS[:2])
    studio(page, server, "again")
    begin(page)
    page.keyboard.press("Escape")
    ready(page)
    assert states(server, "again") == ["open", "open"]
    record(page)
    take = server.home / "recordings" / "Åsa" / "again" / "0001.wav"
    first = take.read_bytes()
    page.keyboard.press("r")
    page.get_by_role("button", name="Stop").click()
    ready(page)
    assert take.read_bytes() != first
    page.keyboard.press("s")  # what is recorded is not skipped
    page.keyboard.press("ArrowRight")
    page.keyboard.press("s")
    page.get_by_role("button", name="A second line. , skipped").click()  # the page has the server's answer
    expect(page.get_by_text("Sentence 2 of 2")).to_be_visible()
    assert states(server, "again") == ["recorded", "skipped"]
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Skip", exact=True)).to_be_visible()
    assert states(server, "again") == ["recorded", "open"]


def test_the_level_is_shown(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    make_list(server, "level", TEXTS[:1])
    studio(page, server, "level")
    meter = page.get_by_role("meter", name="Level of the microphone")
    expect(meter).to_have_attribute("aria-valuetext", "Good level")
    expect(meter).to_have_attribute("aria-valuenow", re.compile(r"^-(1?\d|20)(\.\d+)?$"))  # at its loudest moment


def test_a_take_that_cannot_be_saved_is_kept_until_it_can(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    make_list(server, "full", TEXTS[:2])
    studio(page, server, "full")
    error = {"error": {"message": "the recording was not saved: no space left on device"}}
    refuse = re.compile(r"/v1/recordings/.*/1$")
    page.route(refuse, lambda route: route.fulfill(status=507, json=error))
    record(page)
    expect(page.locator(".verdict-of")).to_contain_text("The recording was not saved: no space left on device.")
    page.keyboard.press("ArrowRight")  # it would be lost
    expect(page.get_by_text("Sentence 1 of 2")).to_be_visible()
    page.unroute(refuse)
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 2 recorded")).to_be_visible()
    assert states(server, "full") == ["recorded", "open"]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (FAIL % "NotFoundError", "No microphone was found"),
        (FAIL % "NotAllowedError", "The microphone is not allowed"),
        ("Object.defineProperty(navigator, 'mediaDevices', { value: undefined })", "over HTTPS"),
    ],
    ids=["none", "denied", "insecure"],
)
def test_without_a_microphone_it_is_told_why_and_what_to_do(
    context: "BrowserContext", server: Server, broken: str, words: str
) -> None:
    from playwright.sync_api import expect

    if not httpx.get(f"{server.url}v1/recordings/Åsa/none").is_success:
        make_list(server, "none", TEXTS[:1])
    context.add_init_script(f"navigator.permissions.query = async () => ({{ state: 'prompt' }}); {broken}")
    page = opened(context, server)
    page.goto(f"{server.url}#/record/Åsa/none")
    page.get_by_role("button", name="Turn on the microphone").wait_for()
    page.keyboard.press("Space")
    expect(page.locator(".verdict-of")).to_contain_text(words)
    expect(page.get_by_role("button", name="Try the microphone again")).to_be_enabled()


def test_a_list_that_is_not_there_is_told(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    page.goto(f"{server.url}#/record/Nobody/nothing")
    expect(page.get_by_role("alert").filter(has_text="There is no such list of prompts.")).to_be_visible()
    page.get_by_role("link", name="All lists").click()
    expect(page.get_by_role("heading", name=re.compile("Recordings|Record a voice"))).to_be_visible()


def test_sentences_come_from_a_file_too(page: "Page", server: Server, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    file = tmp_path / "mine.txt"
    file.write_text("Först en mening.\r\nSedan en till.\r\n", encoding="utf-8")
    page.route("**/v1/recordings", lambda route: route.fulfill(json={"folder": "", "lists": [], "bundled": []}))
    page.get_by_role("tab", name="Record").click()
    page.get_by_role("radio", name="My own sentences").check()
    with page.expect_file_chooser() as choosing:
        page.get_by_role("button", name="Choose a text file").click()
    choosing.value.set_files(file)
    expect(page.get_by_text("2 sentences, about 1 min")).to_be_visible()
    expect(page.get_by_role("textbox", name="Sentences")).to_have_value(re.compile("^Först en mening.\n"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_nothing_is_too_wide(page: "Page", server: Server, scheme: Any) -> None:
    make_list(server, scheme, (*TEXTS[:2], "x" * 300))
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    studio(page, server, scheme)
    assert_accessible(page)
    record(page)
    assert_accessible(page)
    begin(page)
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="All lists").click()
    page.get_by_role("heading", name="Recordings").wait_for()
    assert_accessible(page)
    page.get_by_role("button", name="New list").click()
    page.get_by_role("radio", name="My own sentences").check()
    assert_accessible(page)
