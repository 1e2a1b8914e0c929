"""The tab Book in a real browser: from a file to an audiobook that is heard."""

import json
import re
import subprocess
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.book.epubs import epub
from tests.serve.page.actions import assert_accessible
from tests.serve.page.books import TITLES, book, chapter, choose, done, make, saved
from tests.serve.page.conftest import Server, StartServer, opened
from tests.serve.page.trainings import fake

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser


def listens(page: "Page") -> None:
    """Wait until more of the chapter was heard, twice."""
    from playwright.sync_api import expect

    place = page.get_by_role("slider", name="Position in the chapter")
    for _ in range(2):
        now = float(place.input_value())
        expect.soft(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        page.wait_for_function("([input, now]) => Number(input.value) > now", arg=[place.element_handle(), now])


def marks(path: Path) -> list[str]:
    """The titles of the chapter marks of a file."""
    words = ["ffprobe", "-v", "error", "-show_chapters", "-of", "json", str(path)]
    found = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return [mark["tags"]["title"] for mark in found["chapters"]]


def test_a_book_becomes_an_audiobook_and_a_correction_is_all_that_is_spoken_again(
    context: "BrowserContext", page: "Page", server: Server, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    choose(page, "town.epub", book(3, 3, 30))  # the last chapter is heard for longer than slow computers take to click
    expect(page.locator(".about")).to_contain_text("Ann Author · English")
    expect(page.get_by_role("heading", name="A Book")).to_be_visible()  # no more of the shelf is
    chapter(page, 2).uncheck()
    page.get_by_label("Title of chapter 3").fill("The end")
    page.locator("#book").get_by_text("More settings").click()
    page.locator("#book").get_by_label("Variation of the sound 0.667").press("Home")
    with page.expect_request("**/v1/audio/speech") as asked:
        page.get_by_role("button", name="Hear the beginning of chapter 3").click()
    assert asked.value.post_data_json["knobs"] == {"noise": 0}
    expect(page.get_by_role("button", name="Pause Beginning of chapter 3")).to_be_visible()
    page.wait_for_function("() => window.loudest > 0.01")
    expect(page.locator(".estimate")).to_contain_text("to make it here")
    page.reload()  # what was chosen stays
    expect(chapter(page, 2)).not_to_be_checked()
    with page.expect_request("**/v1/jobs") as asked:
        make(page)
    assert (asked.value.post_data_json["kind"], asked.value.post_data_json["knobs"]) == ("book", {"noise": 0})
    assert marks(saved(page, done(page), tmp_path / "one.m4b")) == [TITLES[0], "The end"]
    expect(page.get_by_role("status").filter(has_text="Sentences: 35 spoken")).to_be_visible()

    page.get_by_role("button", name="Listen to The end").click()
    listens(page)
    page.get_by_role("button", name="Siobhan wrote line 2 of part 3.").click()
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("link", name="Say this sentence differently").click()
    expect(page.locator("#book").get_by_label("Written", exact=True).first).to_have_value(
        "Siobhan wrote line 2 of part 3."
    )
    page.locator("#book").get_by_label("Spoken", exact=True).first.fill("Shi-vawn wrote line 2 of part 3.")
    make(page, "Make it again")
    assert marks(saved(page, done(page), tmp_path / "two.m4b")) == [TITLES[0], "The end"]
    expect(page.get_by_role("status").filter(has_text="Sentences: 1 spoken, 34 kept.")).to_be_visible()

    other = opened(context, server)
    other.get_by_role("tab", name="Book").click()
    other.locator(f'a[href="#/book/{page.url.split("/")[-1]}"]').click()  # other tests have opened a book of this title
    expect(other.get_by_role("status").filter(has_text="Sentences: 1 spoken, 34 kept.")).to_be_visible()


def test_it_is_heard_while_it_is_made_reloaded_and_goes_on_with_a_new_server(
    context: "BrowserContext", start_server: StartServer
) -> None:
    from playwright.sync_api import expect

    server = start_server()
    page = opened(context, server)
    choose(page, "long.epub", book(3, 2000, 2000))
    make(page)
    page.get_by_role("button", name=f"Listen to {TITLES[0]}").click()
    listens(page)
    other = context.new_page()
    other.goto(page.url)
    for tab in (page, other):
        tab.reload()
        expect(tab.get_by_role("status").filter(has_text="of 3 chapters are complete")).to_be_visible()
    server.kill()
    expect(page.locator("#connection")).to_contain_text("The server does not answer")
    server.start()
    for tab in (page, other):
        expect(tab.locator("#connection")).to_be_empty()
    job = server.url + "v1/jobs/" + page.url.split("/")[-1]
    assert httpx.get(job).json()["state"] in ("queued", "running")
    page.get_by_role("button", name="Cancel").click()
    for tab in (page, other):
        expect(tab.get_by_role("article")).to_contain_text("Cancelled")
        expect(tab.get_by_role("button", name=f"Listen to {TITLES[0]}")).to_be_enabled()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: epub({"a.xhtml": "<p>Text.</p>"}, more={"META-INF/rights.xml": "<rights/>"}), "protected by DRM"),
        (lambda: epub({"a.xhtml": f"<p>{'a' * 2**23}</p>"}), "possible ZIP bomb"),
        (lambda: epub({"a.xhtml": ""}), "no text"),
        (lambda: b"PK no book", "is not an EPUB"),
        (lambda: b"", "The file is empty."),
    ],
    ids=["locked", "bomb", "without-text", "damaged", "empty"],
)
def test_a_book_that_cannot_be_read_says_why(page: "Page", server: Server, content: Any, said: str) -> None:
    from playwright.sync_api import expect

    choose(page, "bad.epub", content())
    alert = page.locator("#book").get_by_role("alert")
    expect(alert).to_contain_text(said)
    expect(alert).not_to_contain_text(str(server.home))
    expect(page.get_by_role("button", name="Choose a file")).to_be_enabled()


def test_a_book_is_dropped_anywhere(page: "Page") -> None:
    from playwright.sync_api import expect

    page.get_by_role("tab", name="Book").click()
    expect(page.get_by_role("button", name="Choose a file")).to_be_enabled()
    page.evaluate(
        """() => {
             const dataTransfer = new DataTransfer();
             dataTransfer.items.add(new File(["One sentence."], "dropped.txt"));
             for (const name of ["dragover", "drop"]) {
               document.body.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }));
             }
           }"""
    )
    expect(chapter(page, 1)).to_be_checked()


def test_a_book_is_opened_and_keeps_the_focus_while_the_list_is_read_again(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    tenths = count(1)

    def running(route: Any) -> None:
        job = fake(1, kind="book", title="Long", state="running", progress=next(tenths) / 10, request={"kind": "book"})
        route.fulfill(json={"data": [job], "has_more": False})

    page.route("**/v1/jobs?*", running)
    page.goto(f"{server.url}#/book")
    link = page.get_by_role("link", name="Long")
    link.focus()
    page.get_by_role("heading", name="Long").hover()
    expect(link).to_contain_text("10 %")
    page.mouse.down()
    expect(link).to_contain_text("20 %")
    expect(link).to_be_focused()
    page.mouse.up()
    expect(page).to_have_url(re.compile("#/book/0+1$"))


def test_parts_of_a_book_are_read_if_they_are_wanted(page: "Page") -> None:
    from playwright.sync_api import expect

    index = '<section epub:type="index"><h1>Index</h1><p>sea, 3</p></section>'
    documents = {"a.xhtml": "<h1>One</h1><p>Siobhan wrote.</p>", "n.xhtml": index}
    choose(page, "parts.epub", epub(documents, [("One", "a.xhtml"), ("Index", "n.xhtml")]))
    expect(page.locator(".chapters-heading [role=status]")).to_contain_text("1 of 1")
    page.get_by_text("Also read aloud").click()
    page.get_by_role("checkbox", name="Index").check()
    expect(page.locator(".chapters-heading [role=status]")).to_contain_text("2 of 2")
    page.get_by_role("checkbox", name="Headings").uncheck()
    expect(page.get_by_role("checkbox", name="Headings")).not_to_be_checked()
    with page.expect_request("**/v1/jobs") as asked:
        make(page)
    body = asked.value.post_data_json
    assert (body["include"], body["exclude"]) == (["index"], ["headings"])
    done(page)


def test_ten_thousand_chapters_are_chosen_from(page: "Page") -> None:
    from playwright.sync_api import expect

    facts = {"sentences": 9, "characters": 900, "seconds": 60.0, "beginning": "It begins."}
    rows = [{"index": index, "title": f"Part {index}", **facts} for index in range(1, 10_001)]
    about = {"title": "Long", "authors": [], "language": "en", "cover": False, "thumbnail": None, "warnings": []}
    page.route("**/v1/books/inspect", lambda route: route.fulfill(json={**about, "chapters": rows, "speed": 60}))
    asked: list[Any] = []

    def refuse(route: Any) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(status=400, json={"error": {"message": "not now"}})

    page.route("**/v1/jobs", refuse)
    choose(page, "long.txt", b"x")
    total = page.locator(".chapters-heading [role=status]")
    expect(total).to_have_text("10,000 of 10,000 · 7 days")
    assert page.get_by_role("listitem").count() < 60
    chapter(page, 2).click()
    chapter(page, 5).click(modifiers=["Shift"])
    expect(total).to_contain_text("9,996 of")
    page.locator(".row-window").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    chapter(page, 10_000).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Shift+ArrowUp")
    expect(chapter(page, 9_999)).to_be_focused()
    expect(chapter(page, 9_999)).not_to_be_checked()
    page.keyboard.press("PageUp")
    assert page.get_by_role("listitem").count() < 60
    page.get_by_role("button", name="Make the audiobook").click()
    expect(page.locator("#book").get_by_role("alert")).to_contain_text("Not now.")
    assert asked[-1]["chapters"] == "1,6-9998"
    page.get_by_role("checkbox", name="Chapters").click()
    expect(total).to_contain_text("10,000 of")
    page.get_by_role("checkbox", name="Chapters").click()
    expect(page.get_by_role("button", name="Make the audiobook")).to_be_disabled()


def test_axe_finds_nothing_serious_and_nothing_is_wider_than_a_phone(page: "Page") -> None:
    from playwright.sync_api import expect

    def check() -> None:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            assert_accessible(page)

    choose(page, "town.epub", book())
    expect(page.locator(".estimate")).to_contain_text("to make it here")
    page.locator("#book").get_by_text("More settings").click()
    page.locator("#book").get_by_label("Written", exact=True).fill("Siobhan")
    page.get_by_role("button", name="Hear the beginning of chapter 1").click()
    expect(page.get_by_role("button", name="Pause Beginning of chapter 1")).to_be_visible()
    check()
    make(page)
    done(page)
    expect(page.get_by_role("region", name="Text of the chapter")).to_be_visible()
    check()
    page.get_by_role("link", name="Audiobooks").click()
    expect(page.get_by_role("heading", name="Audiobooks")).to_be_visible()
    check()
