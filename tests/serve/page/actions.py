"""What a person does on the page, and sees."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

#: Long enough to be heard for a while, and short enough to be spoken at once.
TEXT = "The rain had stopped by the time we reached the harbour. Every boat was still. Somewhere a radio was playing."
#: Takes much longer to speak than to stop.
LONG = "One more sentence, which takes its time to be spoken. " * 500


def speak(page: "Page", text: str) -> None:
    """Write the text, and press the button."""
    page.get_by_label("Text to speak").fill(text)
    page.get_by_role("button", name="Speak").click()


def assert_accessible(page: "Page") -> None:
    """axe finds nothing serious, and nothing is wider than a phone or a window."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    assert not [each for each in found if each["impact"] in ("serious", "critical")], json.dumps(found, indent=1)
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def takes(page: "Page", state: str) -> "Locator":
    """The takes of the newest result that are in this state."""
    return page.locator(f".result:first-child .take[data-state={state}]")


def sliders(page: "Page") -> "Locator":
    """The waveforms of the newest result."""
    return page.locator(".result:first-child").get_by_role("slider")


def place(slider: "Locator") -> float:
    """Where a waveform is being played, in seconds."""
    return float(slider.get_attribute("aria-valuenow") or 0)


def length(slider: "Locator") -> float:
    """How long its sound is, in seconds."""
    return float(slider.get_attribute("aria-valuemax") or 0)


def advances(slider: "Locator") -> None:
    """Wait until more of it was played, twice. Its sound must have some time left."""
    for _ in range(2):
        slider.page.wait_for_function(
            "([slider, before]) => Number(slider.getAttribute('aria-valuenow')) > before",
            arg=[slider.element_handle(), place(slider)],
        )


def drop(page: "Page", name: str, content: bytes) -> None:
    """Drop a file on the text of the tab Speak."""
    page.evaluate(
        """([name, bytes]) => {
             const dropped = new DataTransfer();
             dropped.items.add(new File([new Uint8Array(bytes)], name));
             for (const kind of ["dragover", "drop"]) {
               document.querySelector("#text").dispatchEvent(
                 new DragEvent(kind, { dataTransfer: dropped, bubbles: true, cancelable: true }));
             }
           }""",
        [name, list(content)],
    )
