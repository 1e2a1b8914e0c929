"""The page in the languages of its readers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.loopback import FileServer
from tests.piper.conftest import MakeCheckpoint
from tests.serve.page.actions import assert_accessible, takes
from tests.serve.page.clicks import COUNT, IN_HER_LANGUAGE, documented, presses
from tests.serve.page.conftest import PATIENCE_MS, Server, add_voice
from tests.voices.hub import add_to_hub, hub

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["hub"]  # a fixture
pytestmark = pytest.mark.browser
WORDS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in Path("app/voxmatrix/serve/page/static/words").glob("*.json")
}
LOCALES = {"de": "de-DE", "en": "en-GB", "es": "es-ES", "fr": "fr-FR", "sv": "sv-SE"}
TABS = ("speak", "voices", "record", "train", "book", "jobs", "machine")
#: Where axe looks: everywhere in the language of the longest words, and once at each tab in another one.
LOOKED_AT = {"de": TABS, "es": TABS[:2], "fr": TABS[2:4], "sv": TABS[4:], "en": ()}


@pytest.fixture
def page(browser: "Browser", request: pytest.FixtureRequest) -> "Iterator[Page]":
    """A page of a browser that wants a language."""
    context = browser.new_context(
        locale=LOCALES[request.param], viewport={"width": 390, "height": 844}, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


@pytest.fixture
def own(tmp_path: Path, make_onnx: MakeCheckpoint, hub: FileServer) -> Iterator[Server]:
    """A server beside a hub that has a German and a Swedish voice. The user has a Spanish one, beside the included."""
    add_to_hub(hub, "de_DE-frei-medium", "CC0")
    add_to_hub(hub, "sv_SE-fri-medium", "CC0")
    path = add_voice(tmp_path, "aaa", make_onnx("tiny", 1, "text"))
    config = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    Path(f"{path}.json").write_text(json.dumps({**config, "espeak": {"voice": "es"}}), encoding="utf-8")
    server = Server(tmp_path, None)
    yield server
    server.kill()


@pytest.mark.parametrize(
    ("page", "voice"), [("es", "es_ES-dora-student"), ("fr", "fr_FR-siwis-student")], indirect=["page"]
)
def test_a_person_hears_her_language_by_one_click(page: "Page", own: Server, voice: str) -> None:
    from playwright.sync_api import expect

    page.goto(own.url)
    expect(page.locator("#voices input:checked")).to_have_value(voice)
    with page.expect_request("**/v1/audio/speech") as asked:
        page.locator("#speak").click()
    takes(page, "done").wait_for()
    assert asked.value.post_data_json["voice"] == voice
    words = WORDS[page.locator("html").get_attribute("lang") or ""]
    expect(page.get_by_role("status").filter(has_text=words["speak.complete"])).to_be_attached()
    assert page.title() == f"{words['speak.title']} – voxmatrix"


@pytest.mark.parametrize(
    ("page", "voice", "title"),
    [("de", "de_DE-frei-medium", "Frei"), ("sv", "sv_SE-fri-medium", "Fri")],
    indirect=["page"],
)
def test_a_voice_that_is_not_here_is_found_and_heard_by_two_clicks(
    page: "Page", own: Server, voice: str, title: str
) -> None:
    from playwright.sync_api import expect

    page.add_init_script(COUNT)
    words = WORDS[voice[:2]]
    page.goto(own.url)
    page.get_by_role("button", name=words["speak.find_voice"]).click()
    offered = page.locator(".tongue li")
    expect(offered).to_contain_text("CC0")
    expect(offered).to_contain_text(re.compile(r"\d [kM]B"))
    page.get_by_role("button", name=words["voices.download_one"].format(voice=title)).click()
    takes(page, "done").wait_for()
    assert presses(page) == documented()[IN_HER_LANGUAGE]
    expect(page.locator("#voices input:checked")).to_have_value(voice)
    expect(page.get_by_role("button", name=words["speak.find_voice"])).to_have_count(0)


@pytest.mark.parametrize("page", ["en"], indirect=True)
def test_the_example_is_in_the_language_of_the_voice_and_a_text_proposes_its_voice(page: "Page", own: Server) -> None:
    from playwright.sync_api import expect

    page.goto(own.url)
    text = page.get_by_label("Text to speak")
    expect(text).to_have_value(re.compile("^The rain had stopped"))
    page.locator('#voices input[value="fr_FR-siwis-student"]').check()
    expect(text).to_have_value(re.compile("^Quand nous sommes"))
    text.fill("Buenos días. ¿Cómo está usted hoy?")
    expect(page.get_by_text("This looks like Spanish.")).to_be_visible()
    page.locator(".tongue").get_by_role("button").click()
    expect(page.locator('#voices input[value="es_ES-dora-student"]')).to_be_checked()
    expect(page.get_by_text("This looks like Spanish.")).to_have_count(0)
    expect(text).to_have_value("Buenos días. ¿Cómo está usted hoy?")


@pytest.mark.parametrize(
    ("page", "code", "sentences"),
    [("en", "en-GB", "English"), ("es", "es", "Español"), ("sv", "sv-SE", "svenska")],
    indirect=["page"],
)
def test_ones_own_recordings_are_in_ones_own_language_at_first(
    page: "Page", server: Server, code: str, sentences: str
) -> None:
    from playwright.sync_api import expect

    page.goto(f"{server.url}#/train/new")
    expect(page.locator("#train select[name=language]")).to_have_value(code)
    page.goto(f"{server.url}#/record")
    page.route("**/v1/recordings", lambda route: route.fulfill(json={**route.fetch().json(), "lists": []}))
    page.reload()
    expect(page.locator("#record select[name=language]")).to_have_value(code)
    expect(page.locator("#record .source:has(:checked)")).to_contain_text(sentences)


@pytest.mark.parametrize("page", ["en"], indirect=True)
def test_a_language_is_chosen_and_remembered(page: "Page", server: Server) -> None:
    from playwright.sync_api import expect

    page.goto(server.url)
    page.get_by_label("Text to speak").fill("Hello.")
    page.get_by_role("tab", name="Book").click()
    page.locator("#language").select_option("Français")
    expect(page.get_by_role("tab", name="Livre")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#text")).to_have_value("Hello.")
    page.goto(server.url)
    expect(page.locator("#language")).to_have_value("fr")
    expect(page.locator("html")).to_have_attribute("lang", "fr")


@pytest.mark.parametrize("page", sorted(LOCALES), indirect=True)
def test_nothing_is_too_wide_in_any_tab(page: "Page", server: Server) -> None:
    for tab in TABS:
        page.goto(f"{server.url}#/{tab}")
        panel = page.get_by_role("tabpanel")
        panel.locator("h1").first.wait_for(state="attached")
        panel.locator(".bone, [aria-busy=true]").first.wait_for(state="detached")
        language = page.locator("html").get_attribute("lang") or ""
        assert page.title() == f"{page.get_by_role('tab', selected=True).inner_text()} – voxmatrix"
        for width in (320, 390, 1024):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (tab, width)
            assert not page.evaluate(CUT), (tab, width)
        if tab in LOOKED_AT[language]:
            assert_accessible(page)


#: Buttons and tabs whose words do not fit into them, or that stand beyond the edge.
CUT = """() => [...document.querySelectorAll("button, .quiet, .primary, [role=tab]")].filter((each) => {
  const box = each.getBoundingClientRect();
  return each.offsetParent && (each.scrollWidth > each.clientWidth + 1 || box.right > innerWidth || box.left < 0);
}).map((each) => each.textContent)"""
