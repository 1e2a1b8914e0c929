"""What is drawn in the tab Train: how recordings are distributed, and how a training goes."""

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.page.actions import assert_accessible
from tests.serve.page.conftest import Server
from tests.serve.page.trainings import fake

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser
PROBLEMS = [("clipped", "error", 2), ("low-rate", "warning", 9), ("missing", "error", 1)]
CHECKED = {
    "clips": 20, "seconds": 70.0, "level": "trial", "expect": "as the server says it", "speakers": [],
    "quality": "medium", "language": "en-US", "phonemes": "espeak", "digest": "0",
    "durations": {"width": 0.5, "used": [0, 0, 1, 18, 1], "left_out": [1, 0, 0, 1, 0]},
    "paces": {"width": 2.0, "used": [0, 0, 0, 0, 0, 2, 16, 2], "left_out": [1, 0, 0, 0, 0, 0, 0, 1]},
    "problems": [
        {"id": f"{kind}-{at}", "kind": kind, "severity": severity, "path": "", "place": f"{kind}:{at}",
         "problem": "what it is", "remedy": "record it again"}
        for kind, severity, count in PROBLEMS for at in range(count)
    ],
}  # fmt: skip
STEPS, BEST = 3000, 2000


def events() -> str:
    """A training that begins far from the recordings, and is best before its end."""
    facts: list[dict[str, Any]] = []
    for step in range(100, STEPS + 1, 100):
        mel = 0.4 + 5 * 0.75 ** (step / 100)
        facts.append({"step": step, "epoch": 1, "losses": {"mel": mel, "kl": 1.0}})
        if step % 500 == 0:
            validation = 0.6 + abs(step - BEST) / 5000
            best = min(step, BEST)
            facts.append({"step": step, "validation_mel": validation, "best_step": best, "best": step <= BEST})
            facts[-1]["words_wrong"] = 0.043
    lines = [f"id: {number}\nevent: metrics\ndata: {json.dumps(each)}\n\n" for number, each in enumerate(facts, 1)]
    return "".join(lines)


def evaluations() -> str:
    """A small voice that is nearest at its third evaluation."""
    near = {250: 2.9, 500: 0.62, 750: 0.41, 1000: 0.43}
    lines = [json.dumps({"step": step, "validation_mel": mel, "in_tune": 0.9}) for step, mel in near.items()]
    return "".join(f"id: {number}\nevent: metrics\ndata: {line}\n\n" for number, line in enumerate(lines, 1))


def show(page: "Page", server: Server, **more: Any) -> None:
    """A job that only the page knows."""
    request = {"kind": more["kind"], "name": "asa", "quality": "medium", "language": "en-US"}
    job = fake(5, title="Åsa / first", request=request, **more)
    page.route(f"**/v1/jobs/{job['id']}", lambda route: route.fulfill(json={"files": [], **job}))
    body = {"train": events, "distil": evaluations}.get(job["kind"], str)()
    page.route("**/events?*", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    page.goto(f"{server.url}#/train/{job['id']}")


def cells(page: "Page", table: int) -> list[list[str]]:
    """The rows of a table that is folded."""
    page.locator("#train details:has(table) > summary").nth(table).click()
    rows = page.locator("#train table.losses").nth(table).locator("tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def test_how_recordings_are_distributed_is_drawn_with_what_was_left_out(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    show(page, server, kind="prepare", result=CHECKED)
    expect(page.locator(".kind summary")).to_have_text(
        ["left out too loud: clipped: 2 recordings", "left out file is missing: 1 recording",
         "warning low sample rate: 9 recordings"]
    )  # fmt: skip
    figures = page.locator(".distribution")
    expect(figures).to_have_count(2)
    expect(figures.first).to_contain_text("Most last 1.5 to 2 s.")
    expect(figures.last).to_contain_text("Most are read at 12 to 14 letters a second.")
    assert cells(page, 0) == [
        ["0 to 0.5", "0", "1"], ["0.5 to 1", "0", "0"], ["1 to 1.5", "1", "0"], ["1.5 to 2", "18", "1"],
        ["2 and more", "1", "0"],
    ]  # fmt: skip
    drawing = figures.first.locator("svg")
    wide = drawing.bounding_box()
    assert wide is not None
    drawing.hover(position={"x": 0.7 * wide["width"], "y": 50})
    expect(figures.first.locator(".readout")).to_have_text("1.5 to 2 seconds: 18 used, 1 left out")


def test_it_is_said_in_the_languages_of_the_page(context: "BrowserContext", server: Server) -> None:
    from playwright.sync_api import expect

    context.set_extra_http_headers({"Accept-Language": "es-ES"})
    page = context.new_page()
    show(page, server, kind="prepare", result=CHECKED)
    report = page.locator(".report")
    expect(report).to_contain_text("una primera prueba")
    expect(report).to_contain_text("La mayoría dura de 1,5 a 2 s.")
    report.locator(".kind").first.click()
    expect(report.locator(".kind").first).to_contain_text("Habla más bajo")
    show(page, server, kind="prepare", result={**CHECKED, "durations": None, "paces": None})  # of an earlier version
    page.reload()
    expect(report).to_contain_text("una primera prueba")
    expect(page.locator(".distribution")).to_have_count(0)


def test_a_curve_shows_its_scale_and_its_best_step(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    sound = {"name": f"run/samples/{BEST}.wav", "bytes": 1}
    show(page, server, kind="train", files=[sound])
    expect(page.locator(".loss figcaption").first).to_contain_text("logarithmic scale")
    drawing = page.locator(".curves").first
    expect(drawing.locator("circle.best")).to_have_count(1)
    marks = drawing.locator("text").all_text_contents()
    assert {"best: step 2,000", "Step", "0.5", "1", "3", "3,000"} <= set(marks)
    rows = cells(page, 0)
    assert [row[0] for row in rows] == ["3,000", "2,500", "Best · 2,000", "1,500", "1,000", "500"]
    assert rows[2][2] == "0.600" and "4%" in rows[2]
    expect(page.locator(".samples li").first).to_contain_text("Best · Validation 0.600 · Words wrong 4%")


@pytest.mark.parametrize("state", ["running", "done"])
def test_a_small_voice_has_a_curve_too_while_it_learns_and_later(page: "Page", server: Server, state: str) -> None:
    from playwright.sync_api import expect

    show(page, server, kind="distil", state=state, result={"steps": 1000} if state == "done" else None)
    expect(page.locator(".loss figcaption")).to_contain_text("logarithmic scale")
    expect(page.locator(".curves circle.best")).to_have_count(1)
    assert cells(page, 0) == [
        ["1,000", "0.430", "90%"], ["Best · 750", "0.410", "90%"], ["500", "0.620", "90%"], ["250", "2.90", "90%"],
    ]  # fmt: skip
    assert_accessible(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawings_are_accessible_and_fit_a_phone(page: "Page", server: Server, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for kind, more in (("prepare", {"result": CHECKED}), ("train", {})):
        show(page, server, kind=kind, **more)
        page.reload()
        page.locator(".distribution svg, .curve.validation").first.wait_for()
        assert_accessible(page)
