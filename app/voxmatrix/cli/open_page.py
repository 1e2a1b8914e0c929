"""Open the page of the server in a browser, or say where it is."""

import os
import sys
import threading
import webbrowser

from voxmatrix.cli.terminal.messages import echo

#: One of them is set where windows can be opened, and the last one by who has chosen a browser.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def page_address(url: str) -> str:
    """The address of a server for a browser on this computer: none opens that of all interfaces."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def open_page(address: str) -> None:
    """Open an address, without waiting for the browser. The server goes on in any case."""
    threading.Thread(target=_open, args=(address,), name="browser", daemon=True).start()


def _open(address: str) -> None:
    browser = _browser()
    if browser is None or not browser.open(address):
        echo(f"  → no browser can be opened from here: open {address} yourself", err=True)


def _browser() -> webbrowser.BaseBrowser | None:
    """The user's browser; None if there is none, or only one that would take this terminal (lynx, w3m)."""
    has_windows = sys.platform in ("win32", "darwin") or any(map(os.environ.get, _DISPLAYS))
    if not has_windows:
        return None
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return None
    takes_terminal = type(found) is webbrowser.GenericBrowser and not os.environ.get("BROWSER")
    return None if takes_terminal else found
