"""How many clicks a task takes: those that docs/page.md names, and those that a browser has seen."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: A script of the page that counts presses of a mouse button or a finger, also over a reload.
COUNT = """
addEventListener("pointerdown", () => sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1, true);
"""
#: The task that test_languages.py walks, beside a hub.
IN_HER_LANGUAGE = "hear a sentence of a language whose voice is not here (German, Swedish)"


def presses(page: "Page") -> int:
    """Those that COUNT has counted."""
    return int(page.evaluate("Number(sessionStorage.clicks ?? 0)"))


def documented() -> dict[str, int]:
    """The clicks of each task by its words."""
    table = Path("docs/page.md").read_text(encoding="utf-8").partition("| to … | clicks |\n")[2].partition("\n\n")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()[1:]]
    return {task: int(clicks) for task, clicks in rows}
