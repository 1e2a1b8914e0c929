"""The tab Jobs in a real browser."""

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.jobs.conftest import LONG
from tests.serve.page.actions import advances, assert_accessible
from tests.serve.page.conftest import Server
from tests.serve.page.trainings import fake, read, submit, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


def show(page: "Page") -> None:
    page.get_by_role("tab", name="Jobs").click()


def card(page: "Page", title: str) -> "Locator":
    """The newest with this title: the server has the jobs of other tests, too."""
    return page.get_by_role("article", name=re.compile(f": {title}$")).first


def test_without_jobs_it_says_what_will_be_here(page: "Page") -> None:
    from playwright.sync_api import expect

    page.route("**/v1/jobs?*", lambda route: route.fulfill(json={"data": [], "has_more": False}))
    show(page)
    expect(page.locator("#jobs")).to_contain_text("Nothing has run in the background yet.")


def test_a_result_is_heard_and_downloaded_and_the_job_deleted(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    show(page)
    submit(server, kind="speech", text="A short text.", format="mp3", title="short")
    job = card(page, "short")  # it comes by itself
    expect(job).to_contain_text("Done")
    job.get_by_text("Files").click()
    job.get_by_role("button", name="Play speech.mp3").click()
    expect(page.get_by_role("slider", name="Position in speech.mp3")).not_to_have_attribute("aria-valuenow", "0.00")
    assert page.evaluate("window.loudest") > 0
    with page.expect_download() as download:
        job.get_by_role("link", name="speech.mp3").click()
    assert download.value.suggested_filename == "speech.mp3"
    job.get_by_role("button", name="Delete").click()
    job.get_by_role("button", name="Delete it for good").click()
    expect(job).to_have_count(0)


def test_a_job_is_heard_at_once_and_while_it_is_made(page: "Page", server: Server) -> None:
    show(page)
    made = submit(server, kind="speech", text="A short text.", format="wav", title="made")
    wait_for(server, made, "done")
    card(page, "made").get_by_role("button", name="Play made").click()
    slider = page.get_by_role("slider", name="Position in made")
    advances(slider)
    running = submit(server, kind="speech", text=LONG, title="growing")
    card(page, "growing").get_by_role("button", name="Play growing").click()
    advances(page.get_by_role("slider", name="Position in growing"))
    assert read(server, running)["state"] == "running"
    card(page, "growing").get_by_role("button", name="Cancel").click()
    wait_for(server, running, "cancelled")


def test_a_job_is_cancelled_and_resumed_and_a_failure_says_what_to_do(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    running = submit(server, kind="speech", text=LONG, title="long")
    submit(server, kind="speech", text="Waits.", title="next")
    show(page)
    expect(card(page, "next")).to_contain_text("Waiting")
    card(page, "next").get_by_role("button", name="Cancel").click()
    expect(card(page, "next")).to_contain_text("Cancelled")
    expect(card(page, "long").get_by_role("progressbar")).to_be_visible()
    expect(card(page, "long")).to_contain_text(re.compile(r"\d+ %"))
    card(page, "long").get_by_role("button", name="Cancel").click()
    card(page, "long").get_by_role("button", name="Resume").click()
    expect(card(page, "long")).to_contain_text("Running")
    card(page, "long").get_by_role("button", name="Cancel").click()
    expect(card(page, "long")).to_contain_text("Cancelled")
    wait_for(server, running, "cancelled")
    failed = fake(1, state="failed", error={"message": "the disk is full", "remedy": "make room, then resume"})
    page.route("**/v1/jobs?*", lambda route: route.fulfill(json={"data": [failed], "has_more": False}))
    expect(card(page, "job 1")).to_contain_text("make room, then resume")


@pytest.mark.parametrize(("kind", "name"), [("train", "Stop"), ("prepare", "Cancel")])
def test_a_job_is_cancelled_by_a_button_that_is_pressed_while_it_begins(page: "Page", kind: str, name: str) -> None:
    from playwright.sync_api import expect

    job = {**fake(1, kind=kind, state="queued", ended=None, request={"kind": kind}), "files": []}
    page.route(f"**/v1/jobs/{job['id']}", lambda route: route.fulfill(json=job))
    events: list[Any] = []  # held back until the button is down
    page.route("**/events?*", lambda route: events.append(route))  # noqa: PLW0108 - Playwright wants a function
    with page.expect_request("**/events?*"):
        page.goto(page.url.partition("#")[0] + f"#/train/{job['id']}")
    page.get_by_role("button", name=name).hover()
    page.mouse.down()
    body = f"id: 1\nevent: state\ndata: {json.dumps({**job, 'state': 'running'})}\n\n"
    events[0].fulfill(body=body, content_type="text/event-stream")
    expect(page.locator("#train")).to_contain_text("Running")
    page.route("**/cancel", lambda route: route.fulfill(json={**job, "state": "running"}))
    with page.expect_request("**/cancel"):
        page.mouse.up()


def test_what_would_fail_again_is_not_resumed_and_a_book_leads_to_its_page(page: "Page") -> None:
    from playwright.sync_api import expect

    error = {"message": "the archive is damaged", "remedy": "make it again"}
    jobs = [
        fake(3, state="failed", kind="prepare", error={**error, "exit_code": 3}, request={"file": "a"}),
        fake(2, state="failed", kind="prepare", error={**error, "exit_code": 1}, request={"file": "a"}),
        fake(1, kind="book"),
    ]
    page.route("**/v1/jobs?*", lambda route: route.fulfill(json={"data": jobs, "has_more": False}))
    show(page)
    expect(card(page, "job 3").get_by_role("button", name="Delete")).to_be_visible()
    expect(card(page, "job 3").get_by_role("button", name="Resume")).to_have_count(0)
    expect(card(page, "job 2").get_by_role("button", name="Resume")).to_be_visible()
    expect(card(page, "job 1").get_by_role("link", name="job 1")).to_have_attribute("href", f"#/book/{1:032x}")


def test_many_jobs_come_page_by_page(page: "Page") -> None:
    from playwright.sync_api import expect

    jobs = [fake(number) for number in range(45, 0, -1)]

    def answer(route: Any) -> None:
        after = re.search(r"after=(\w+)", route.request.url)
        limit = int(re.search(r"limit=(\d+)", route.request.url)[1])  # type: ignore[index]
        first = 1 + [job["id"] for job in jobs].index(after[1]) if after else 0
        route.fulfill(json={"data": jobs[first : first + limit], "has_more": first + limit < len(jobs)})

    page.route("**/v1/jobs?*", answer)
    show(page)
    expect(page.get_by_role("article")).to_have_count(20)
    older = page.get_by_role("button", name="Show older ones")
    older.click()
    expect(page.get_by_role("article")).to_have_count(40)
    older.click()
    expect(page.get_by_role("article")).to_have_count(45)
    expect(older).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: "Page", scheme: Any) -> None:
    failed = {"state": "failed", "error": {"message": "the disk is full", "remedy": "make room, then resume"}}
    jobs = [
        fake(4, state="queued"), fake(3, state="running", progress=0.4, seconds_left=200, kind="train"),
        fake(2, **failed), fake(1),
    ]  # fmt: skip
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.route("**/v1/jobs?*", lambda route: route.fulfill(json={"data": jobs, "has_more": False}))
    show(page)
    page.get_by_text("about 3 min left").wait_for()
    page.get_by_role("article").last.get_by_text("Files").click()
    assert_accessible(page)
