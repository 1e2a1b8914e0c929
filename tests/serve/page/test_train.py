"""The tab Train in a real browser: from recordings to a voice that speaks."""

import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.serve.page.actions import assert_accessible, speak, takes
from tests.serve.page.conftest import PATIENCE_MS, Server, opened
from tests.serve.page.trainings import SMALL, fake, packed, record, submit, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.browser
COUNT = 8
#: Until a training on a loaded computer has come some steps further.
TRAINING_MS = 5 * PATIENCE_MS


@pytest.fixture(scope="session")
def recorded(server: Server) -> dict[str, str]:
    """A list with takes. Of the session, as the server is: a list is made once, however the tests are distributed."""
    return record(server, "first", COUNT)


@pytest.fixture(scope="session")
def enough(server: Server) -> dict[str, str]:
    """A list with more than a minute of takes."""
    return record(server, "enough", 35)


@pytest.fixture(scope="session")
def trained(server: Server, recorded: dict[str, str]) -> str:
    """A training that is done: its id."""
    job = submit(server, kind="train", recordings=recorded, max_steps=4, validate_every=2, **SMALL)
    assert wait_for(server, job, "done", "failed")["state"] == "done"
    return job


def show(page: "Page", server: Server, place: str = "") -> None:
    page.goto(f"{server.url}#/train{place}")


def check(page: "Page", server: Server, name: str) -> None:
    """Choose a list, and let it be checked."""
    show(page, server, "/new")
    page.get_by_role("radio", name=name).check()
    page.get_by_role("button", name="Check the recordings").click()
    page.get_by_role("button", name="Use them anyway").click()  # they are few


def figure(page: "Page", name: str) -> "Locator":
    return page.locator(".figures > div").filter(has_text=name).locator("dd")


def validations(page: "Page") -> "Locator":
    """The rows of the table of losses."""
    return page.locator(".losses tbody tr")


def shown(page: "Page") -> list[str]:
    """What a training shows, once nothing changes."""
    from playwright.sync_api import expect

    expect(page.locator(".samples .clip .number")).to_have_text([re.compile(r"\d:\d")] * 2)  # the sounds are there
    expect(page.locator(".curve.validation")).to_be_visible()
    return [page.locator(where).inner_text() for where in (".run-heading", ".figures", ".smalls", ".samples >> nth=0")]


def test_without_recordings_the_way_to_them_is_shown(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    page.route("**/v1/recordings", lambda route: route.fulfill(json={"folder": "", "lists": [], "bundled": []}))
    show(page, server, "/new")
    expect(page.get_by_label("ZIP file", exact=True)).to_be_visible()
    page.get_by_role("button", name="Check the recordings").click()
    expect(page.locator("#train")).to_contain_text("Choose a ZIP file first.")
    page.get_by_role("link", name="Record a voice").click()
    expect(page.get_by_role("tab", name="Record")).to_have_attribute("aria-selected", "true")


def test_the_settings_are_filled_in_with_reasons_and_what_is_changed_is_sent(
    page: "Page", server: Server, recorded: dict[str, str]
) -> None:
    from playwright.sync_api import expect

    check(page, server, "first")
    start = page.get_by_role("button", name="Start training")
    expect(start).to_be_visible()
    expect(figure(page, "Recordings")).to_have_text(str(COUNT))
    expect(page.get_by_text("Recommended on this computer")).to_be_visible()  # and so before the settings
    expect(page.locator("#train form").first.get_by_role("button", name="Teach it")).to_have_class("primary")
    expect(start).to_have_class("quiet")
    expect(page.locator("#train")).to_contain_text("start from a public voice")
    page.get_by_label("quality", exact=True).select_option("tiny")
    batch, rate = (
        page.get_by_role("spinbutton", name="batch size"),
        page.get_by_role("spinbutton", name="learning rate"),
    )
    expect(rate).to_have_value("0.001")
    expect(batch).to_have_value(re.compile(r"\d+"))
    expect(page.locator(".setting", has=batch)).to_contain_text("MiB")
    automatic = batch.input_value()
    batch.fill("3")
    batch.press("Tab")
    expect(page.locator(".setting", has=batch)).to_contain_text("your choice")
    page.get_by_role("button", name="Make batch size automatic again").click()
    expect(batch).to_have_value(automatic)
    page.get_by_role("spinbutton", name="epochs").fill("7")
    page.get_by_role("combobox", name="precision").select_option("bf16")  # must not undo what is being written
    page.get_by_role("spinbutton", name="epochs").press("Tab")
    page.get_by_text("More settings").click()
    page.get_by_role("textbox", name="sample text").fill("My own words.")
    page.get_by_role("spinbutton", name="patience").fill("20")
    page.get_by_role("spinbutton", name="patience").press("Tab")
    expect(page.get_by_role("status").filter(has_text="7 steps: about")).to_be_visible()
    error = {"error": {"message": "no more for today"}}
    page.route("**/v1/jobs", lambda route: route.fulfill(status=429, json=error))
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/v1/jobs")) as sent:
        start.click()
    wanted = {"kind": "train", "recordings": recorded, "language": "en-US", "force": True}
    more = {"sample_text": "My own words.", "patience": 20}
    assert sent.value.post_data_json == {**wanted, "quality": "tiny", "epochs": 7, "precision": "bf16", **more}
    expect(page.locator("#train")).to_contain_text("No more for today.")


def test_a_zip_is_sent_and_its_problems_are_folded_by_kind(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    show(page, server, "/new")
    page.get_by_role("radio", name="My own recordings").check()
    page.get_by_label("ZIP file", exact=True).set_input_files(
        {"name": "mine.zip", "mimeType": "application/zip", "buffer": packed(2)}
    )
    page.get_by_role("button", name="Check the recordings").click()
    expect(page.locator(".report")).to_contain_text("less than 60 s are too few for a voice")
    page.get_by_role("button", name="Use them anyway").click()
    expect(page.get_by_role("button", name="Start training")).to_be_visible()
    expect(page.locator(".report")).to_contain_text("What to expect")
    problems = page.locator(".kind").filter(has_text="low rate: 2 recordings")
    problems.locator("summary").click()
    expect(problems.get_by_role("listitem")).to_have_count(2)


def test_recordings_become_a_training_by_buttons_and_are_judged_alike(
    page: "Page", server: Server, enough: dict[str, str]
) -> None:
    from playwright.sync_api import expect

    prompts = httpx.get(f"{server.url}v1/recordings/{enough['profile']}/{enough['list']}", timeout=300).json()[
        "prompts"
    ]
    takes = [prompt["take"] for prompt in prompts]
    fair = sum(take["usable"] and bool(take["findings"]) for take in takes)
    page.goto(f"{server.url}#/record/Åsa/enough")
    page.get_by_role("button", name="Train this voice").click()
    expect(page.get_by_role("heading", name="Åsa / enough")).to_be_visible()
    expect(page.get_by_role("button", name="Start training")).to_be_visible()
    expect(figure(page, "Recordings")).to_have_text(str(sum(take["usable"] for take in takes)))
    if fair:
        expect(page.locator(".report")).to_contain_text(f"{fair} recording")
        page.get_by_role("link", name="listen and record again").click()
        expect(page.get_by_text("Sentence 1 of 35")).to_be_visible()


def test_a_small_voice_is_taught_from_the_checked_recordings(
    page: "Page", server: Server, recorded: dict[str, str]
) -> None:
    from playwright.sync_api import expect

    check(page, server, "first")
    page.get_by_label("Name of the voice").fill("Not a name")
    page.get_by_label("Learn for").select_option("20 minutes at most")
    page.get_by_role("button", name="Teach it").click()  # the browser says what a name is
    page.get_by_label("Name of the voice").fill("tiny")
    taught = fake(7, kind="distil", title="tiny", request={"kind": "distil", "name": "tiny"}, result={"steps": 900})
    running = {**taught, "state": "running", "progress": 0.25, "seconds_left": 300, "ended": None}
    page.route("**/v1/jobs", lambda route: route.fulfill(status=201, json=running))
    names = (
        "tiny.onnx",
        "1-recorded.wav",
        "1-step-00500.wav",
        "1-step-01000.wav",
        "2-recorded.wav",
        "2-step-01000.wav",
    )
    files = [{"name": name, "bytes": 1} for name in names]
    page.route(f"**/v1/jobs/{taught['id']}", lambda route: route.fulfill(json={**running, "files": files}))
    page.route("**/events?*", lambda route: route.fulfill(status=204))
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/v1/jobs")) as sent:
        page.get_by_role("button", name="Teach it").click()
    asked = {"kind": "distil", "name": "tiny", "minutes": 20, "force": True}
    assert sent.value.post_data_json == {**asked, "recordings": recorded, "language": "en-US"}
    expect(page.get_by_role("heading", name="Teaching a small voice")).to_be_visible()
    expect(page.locator("#train article")).to_contain_text("25 % · about 5 min left")
    heard = ["Recording 1", "Step 1,000", "Recording 2", "Step 1,000"]
    expect(page.locator("#train .samples .number:not(.note)")).to_have_text(heard)
    page.route(f"**/v1/jobs/{taught['id']}", lambda route: route.fulfill(json={**taught, "files": []}))
    expect(page.get_by_role("link", name="Speak with tiny")).to_have_attribute("href", "#/speak/tiny")
    assert_accessible(page)
    page.route(
        "**/v1/jobs?kind=train&kind=distil&*", lambda route: route.fulfill(json={"data": [taught], "has_more": False})
    )
    page.get_by_role("link", name="All trainings").click()
    expect(page.get_by_role("article", name="Small voice: tiny")).to_contain_text("Done")


def test_another_zip_is_offered_for_one_that_cannot_be_used(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    show(page, server, "/new")
    page.get_by_role("radio", name="My own recordings").check()
    file = {"name": "broken.zip", "mimeType": "application/zip", "buffer": b"PK nothing"}
    page.get_by_label("ZIP file", exact=True).set_input_files(file)
    page.get_by_role("button", name="Check the recordings").click()
    expect(page.locator("#train")).to_contain_text("broken.zip cannot be unpacked")
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)
    page.get_by_role("link", name="Choose other recordings").click()
    expect(page.get_by_role("heading", name="Train a voice")).to_be_visible()


def test_a_training_that_is_not_there_is_told(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    for id in ("nothing", "0" * 32):
        show(page, server, f"/{id}")
        expect(page.locator("#train")).to_contain_text("There is no such job.")


def test_a_finished_training_is_seen_heard_exported_and_spoken_with(page: "Page", server: Server, trained: str) -> None:
    from playwright.sync_api import expect

    show(page, server)
    page.get_by_role("link", name="Åsa / first").first.click()
    before = shown(page)
    page.reload()
    assert shown(page) == before
    page.get_by_text("As numbers").click()
    expect(validations(page)).to_have_count(2)
    page.get_by_role("button", name="Play Step 4").click()
    expect(page.get_by_role("slider", name="Position in Step 4")).not_to_have_attribute("aria-valuenow", "0.00")
    assert page.evaluate("window.loudest") > 0
    name = page.get_by_label("Name of the voice")
    expect(name).to_have_value("Asa-first")
    name.fill("asa")
    page.get_by_role("button", name="Export as a voice").click()
    expect(page.get_by_text("has not learned to speak yet")).to_be_visible()
    page.get_by_role("button", name="Export it anyway").click()
    expect(page.get_by_text("It has not learned to speak yet: its sounds are all alike")).to_be_visible()
    page.get_by_role("link", name="Speak with asa").click()
    expect(page.get_by_role("radio", name="asa")).to_be_checked()
    speak(page, "Hello.")
    takes(page, "done").wait_for()
    show(page, server, f"/{trained}")  # as in another tab of the browser
    expect(page.get_by_role("link", name="Speak with asa")).to_be_visible()


@pytest.mark.slow
def test_a_training_is_watched_in_two_tabs_stopped_and_goes_on(
    context: "BrowserContext", page: "Page", server: Server, recorded: dict[str, str]
) -> None:
    from playwright.sync_api import expect

    check(page, server, recorded["list"])
    page.get_by_label("quality", exact=True).select_option("tiny")
    page.get_by_role("tabpanel", name="Train").get_by_text("More settings").click()
    for name, value in (("batch size", "1"), ("accumulation", "1"), ("most steps", "5000"), ("sample every", "3")):
        page.get_by_role("spinbutton", name=name).fill(value)
    page.get_by_role("button", name="Start training").click()
    expect(page.locator(".samples li").nth(1)).to_be_visible(timeout=TRAINING_MS)  # the curve grows
    expect(figure(page, "Step")).to_contain_text("of 5,000")
    other = opened(context, server)
    other.goto(page.url)
    expect(other.locator(".curve.mel")).to_be_visible()
    page.reload()
    expect(page.locator(".curve.mel")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    for tab in (page, other):
        expect(tab.get_by_role("button", name="Resume")).to_be_visible(timeout=TRAINING_MS)
        expect(tab.locator(".run-state")).to_contain_text("Stopped")
    steps = int(figure(page, "Step").inner_text().split()[0])
    page.get_by_role("button", name="Resume").click()
    expect(figure(page, "Step")).to_contain_text(re.compile(rf"^(?!{steps} )\d+ of 5,000"), timeout=TRAINING_MS)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=TRAINING_MS)
    assert int(figure(page, "Step").inner_text().split()[0]) > steps


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_a_phone(
    page: "Page", server: Server, trained: str, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    show(page, server, f"/{trained}")
    shown(page)
    page.get_by_text("As numbers").click()
    assert_accessible(page)
    check(page, server, "first")
    page.get_by_role("button", name="Start training").wait_for()
    page.get_by_role("tabpanel", name="Train").get_by_text("More settings").click()
    assert_accessible(page)
    show(page, server)
    page.get_by_role("heading", name="Trainings").wait_for()
    assert_accessible(page)
