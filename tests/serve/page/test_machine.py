"""The tab Machine, and what all tabs share: the address, the colours, and that everybody can use them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.page.actions import TEXT, assert_accessible, speak, takes
from tests.serve.page.conftest import Server
from voxmatrix.doctor.examine import describe
from voxmatrix.machine.record import read_machine
from voxmatrix.plan.plan import Overrides, make_plan, plan_to_json

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser
MACHINES = Path(__file__).parents[2] / "machines"


def pretend(page: "Page", name: str, **changes: Any) -> None:
    """Let the page be told of a described computer."""
    machine = replace(read_machine(MACHINES / f"{name}.json"), **changes)
    plan = make_plan(machine, "medium", Overrides(), task="train")
    report = {"doctor": describe(machine, "auto").to_json(), "plan": plan_to_json(plan)}
    page.route("**/v1/machine", lambda route: route.fulfill(body=json.dumps(report), content_type="application/json"))


def test_this_computer_is_described(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_role("tab", name="Machine").click()
    expect(page.get_by_role("heading", name="How a training would run")).to_be_visible()
    rows = page.get_by_role("row")
    expect(rows.filter(has_text="batch size")).to_have_count(1)
    assert rows.count() > 10
    page.reload()  # the address remembers the tab
    expect(page.get_by_role("heading", name="This computer")).to_be_visible()


@pytest.mark.parametrize(("cpus", "words"), [(1, "1 CPU ·"), (2, "2 CPUs ·")])
def test_one_cpu_is_not_several(cpus: int, words: str, page: "Page") -> None:
    from playwright.sync_api import expect

    pretend(page, "no-gpu", cpus=cpus)
    page.get_by_role("tab", name="Machine").click()
    expect(page.get_by_text(words)).to_be_visible()


def test_a_gpu_that_does_not_work_says_why_and_what_to_do(page: "Page") -> None:
    from playwright.sync_api import expect

    pretend(page, "two-different-gpus")
    page.get_by_role("tab", name="Machine").click()
    cards = page.get_by_role("article").filter(has_text="GPU")
    works, fails = cards.nth(0), cards.nth(1)
    expect(works).to_contain_text("Works")
    expect(works).to_contain_text("blackwell")
    expect(fails).to_contain_text("Does not work with this torch")
    expect(fails).to_contain_text("use the image cuda")
    expect(fails.get_by_role("meter", name="Memory in use")).to_be_visible()


def test_a_described_computer_of_every_kind_can_be_shown(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_role("tab", name="Machine").click()
    for name in ("nothing-known", "macos", "mig-slice", "amd-windows", "orin"):
        pretend(page, name)
        page.get_by_role("button", name="Look again").click()
        expect(page.locator("#machine[aria-busy=false] table")).to_be_visible()


def test_a_failure_is_told_and_can_be_repeated(page: "Page") -> None:
    from playwright.sync_api import expect

    error = {"error": {"message": "the server cannot compute right now"}}
    page.route("**/v1/machine", lambda route: route.fulfill(status=503, json=error))
    page.get_by_role("tab", name="Machine").click()
    expect(page.locator("#machine")).to_contain_text("The server cannot compute right now.")
    page.unroute("**/v1/machine")
    page.get_by_role("button", name="Look again").click()
    expect(page.get_by_role("heading", name="How a training would run")).to_be_visible()


def test_tabs_are_changed_with_the_arrows(page: "Page") -> None:
    from playwright.sync_api import expect

    last = page.get_by_role("tab").last
    page.get_by_role("tab", name="Speak").focus()
    page.keyboard.press("ArrowLeft")
    expect(last).to_be_focused()
    expect(last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Text to speak")).to_be_visible()


def test_chosen_colours_are_kept(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_role("button", name="Use dark colours").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Use light colours").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_screen(page: "Page", width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    speak(page, TEXT + " " + "x" * 300)
    takes(page, "done").wait_for()
    for tab in ("Speak", "Machine"):
        page.get_by_role("tab", name=tab).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(context: "BrowserContext", page: "Page", server: Server, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    assert_accessible(page)
    page.get_by_text("More settings").click()
    page.get_by_role("switch", name="Compare").click()
    speak(page, TEXT)
    takes(page, "done").wait_for()
    assert_accessible(page)
    pretend(page, "two-different-gpus")
    page.get_by_role("tab", name="Machine").click()
    page.get_by_role("table").wait_for()
    assert_accessible(page)
