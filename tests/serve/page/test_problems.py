"""What the page says when something is wrong, and that it goes on."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.piper.conftest import MakeCheckpoint
from tests.serve.page.actions import LONG, TEXT, advances, sliders, speak, takes
from tests.serve.page.conftest import Server, StartServer, opened
from voxmatrix.serve.security.keys import add_key

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.browser


def test_nothing_to_speak(page: "Page") -> None:
    speak(page, "  ")
    page.get_by_text("Write something first.").wait_for()
    assert page.locator(".result").count() == 0
    speak(page, "😀 …")
    page.get_by_text("Nothing in this text can be spoken").wait_for()
    assert page.locator(".result").count() == 0
    speak(page, "5")
    takes(page, "done").wait_for()


def test_a_voice_that_is_gone(context: "BrowserContext", server: Server, make_onnx: MakeCheckpoint) -> None:
    from playwright.sync_api import expect

    file = server.add_voice("gone", make_onnx("tiny", 1, "text"))
    page = opened(context, server)
    page.get_by_role("radio", name="gone").check()
    file.unlink()
    speak(page, TEXT)
    expect(page.get_by_role("alert")).to_contain_text("There is no such voice; choose one of: first")


def test_a_download_that_fails_says_why(page: "Page") -> None:
    from playwright.sync_api import expect

    speak(page, TEXT)
    takes(page, "done").wait_for()
    page.get_by_label("Download as").select_option("mp3")
    error = {"error": {"message": "the queue is full"}}
    page.route("**/v1/audio/speech", lambda route: route.fulfill(status=429, json=error, headers={"Retry-After": "3"}))
    page.get_by_role("button", name="Download first as mp3").click()
    expect(takes(page, "done")).to_contain_text("The queue is full. Try again in 3 s.")


def test_the_name_of_a_file_is_not_changed(page: "Page") -> None:
    from playwright.sync_api import expect

    for said, shown in (
        ("my book.pdf is not EPUB or text", "my book.pdf is not EPUB or text."),
        ("notabook.epub: it is damaged", "notabook.epub: it is damaged."),
        ("the disk is full", "The disk is full."),
    ):
        error = {"error": {"message": said}}
        page.route("**/v1/audio/speech", lambda route, _, error=error: route.fulfill(status=400, json=error))
        speak(page, TEXT)
        expect(page.get_by_role("alert")).to_have_text(shown)


def test_a_server_that_is_started_again_under_the_page(context: "BrowserContext", start_server: StartServer) -> None:
    from playwright.sync_api import expect

    server = start_server()
    page = opened(context, server)
    banner = page.locator("#connection")
    speak(page, LONG)
    advances(sliders(page))
    server.kill()
    takes(page, "failed").wait_for()
    expect(page.get_by_role("alert")).to_contain_text("What was spoken until")
    expect(banner).to_contain_text("The server does not answer")
    speak(page, TEXT)
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    server.start()
    expect(banner).to_be_empty()
    speak(page, TEXT)
    takes(page, "done").wait_for()
    expect(page.get_by_role("alert")).to_be_empty()


def test_a_key_is_asked_for_once(context: "BrowserContext", start_server: StartServer, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    key = add_key(tmp_path / "keys")
    server = start_server("--keys", str(tmp_path / "keys"))
    page = context.new_page()
    page.goto(server.url)
    dialog = page.get_by_role("dialog", name="A key is needed")
    for given, said in (("wrong", "the address that the server printed"), (key, "That is not the key of this server.")):
        expect(dialog).to_contain_text(said)
        dialog.get_by_label("Key", exact=True).fill(given)
        dialog.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("radio", name="first")).to_be_checked()
    page.reload()
    expect(page.get_by_role("radio", name="first")).to_be_checked()
    expect(dialog).to_be_hidden()
    speak(page, TEXT)
    takes(page, "done").wait_for()


def test_an_address_with_a_key_needs_no_question(
    context: "BrowserContext", start_server: StartServer, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    key = add_key(tmp_path / "keys")
    server = start_server("--keys", str(tmp_path / "keys"))
    page = context.new_page()
    page.goto(f"{server.url}#key={key}")
    expect(page.get_by_role("radio", name="first")).to_be_checked()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert key not in page.url


def test_a_page_that_did_not_arrive_whole_is_loaded_again(context: "BrowserContext", server: Server) -> None:
    lost: list[str] = []

    def lose(route: "Route") -> None:
        lost.append(route.request.url)
        if len(lost) <= 2:
            route.abort("connectionreset")
        else:
            route.fallback()

    context.route("**/js/main.js", lose)
    opened(context, server)  # a voice can be chosen
    assert len(lost) == 3


def test_a_page_that_never_arrives_whole_says_so(context: "BrowserContext", server: Server) -> None:
    from playwright.sync_api import expect

    context.route("**/style.css", lambda route: route.abort("connectionreset"))
    page = context.new_page()
    page.goto(server.url)
    expect(page.get_by_text("A part of this page did not arrive.")).to_be_attached()


@pytest.mark.parametrize("refusal", [404, None], ids=["the server has another version now", "the connection broke"])
def test_a_tab_that_does_not_arrive_says_so(page: "Page", refusal: int | None) -> None:
    from playwright.sync_api import expect

    def lose(route: "Route") -> None:
        if refusal:
            route.fulfill(status=refusal)
        else:
            route.abort("connectionreset")

    speak(page, TEXT)
    takes(page, "done").wait_for()
    page.route("**/js/train/run.js", lose)
    page.get_by_role("tab", name="Train").click()
    expect(page.get_by_role("alert").filter(has_text="This part of the page did not arrive.")).to_be_visible()
    page.get_by_role("tab", name="Speak").click()
    expect(takes(page, "done")).to_be_visible()
    page.get_by_role("tab", name="Train").click()
    page.unroute("**/js/train/run.js")
    page.get_by_role("button", name="Load the page again").click()
    expect(page.get_by_role("heading", name="Trainings")).to_be_visible()


def test_a_tab_that_was_opened_without_a_network_is_there_when_it_is_back(page: "Page") -> None:
    from playwright.sync_api import expect

    page.context.set_offline(True)
    page.get_by_role("tab", name="Train").click()
    expect(page.get_by_text("This part of the page did not arrive.")).to_be_visible()
    expect(page.get_by_text("The server does not answer.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Trainings")).to_be_visible()


def test_what_is_only_read_is_asked_for_again(context: "BrowserContext", server: Server) -> None:
    context.route("**/v1/audio/voices", lambda route: route.abort("connectionreset"), times=1)
    page = opened(context, server)
    assert not page.get_by_text("The server does not answer.").count()
