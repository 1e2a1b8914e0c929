"""Books for the page, and what a person does with them."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.book.epubs import epub

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TITLES = ("The harbour", "The letter", "The garden")


def book(*sentences: int) -> bytes:
    """An EPUB of three chapters with this many different sentences each; three by default."""
    bodies = {
        f"c{at}.xhtml": f"<h1>{title}</h1><p>"
        + " ".join(f"Siobhan wrote line {number} of part {at}." for number in range(1, count + 1))
        + "</p>"
        for at, (title, count) in enumerate(zip(TITLES, sentences or (3, 3, 3), strict=True), start=1)
    }
    return epub(bodies, [(title, name) for title, name in zip(TITLES, bodies, strict=True)])


def choose(page: "Page", name: str, content: bytes) -> None:
    """Open the tab, and give it a file."""
    page.get_by_role("tab", name="Book").click()
    page.get_by_role("link", name="Audiobooks").or_(page.get_by_role("button", name="Choose a file")).first.wait_for()
    if page.get_by_role("link", name="Audiobooks").count():
        page.get_by_role("link", name="Audiobooks").click()
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.locator("#book input[type=file]").set_input_files(file)  # type: ignore[arg-type]


def chapter(page: "Page", number: int) -> "Locator":
    """The box of a chapter."""
    return page.get_by_role("checkbox", name=f"Chapter {number}", exact=True)


def make(page: "Page", name: str = "Make the audiobook") -> None:
    """Press the button."""
    page.get_by_role("button", name=name).click()
    page.get_by_role("progressbar").or_(page.get_by_role("button", name="Delete")).first.wait_for()


def done(page: "Page") -> "Locator":
    """Wait for the audiobook; its link."""
    link = page.get_by_role("link", name="Download (")
    link.wait_for()
    return link


def saved(page: "Page", link: "Locator", path: Path) -> Path:
    """Download it."""
    with page.expect_download() as waiting:
        link.click()
    waiting.value.save_as(path)
    return path
