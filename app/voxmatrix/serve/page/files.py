"""The files of the page, read once. A request names one of them and never becomes part of a path."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
INDEX = "index.html"
#: Where all files but the index are.
FOLDER = "/page/"


@dataclass(frozen=True, kw_only=True)
class PageFile:
    """A file of the page."""

    content: bytes
    media_type: str
    etag: str  # of the content, so that a newer program is noticed at once


def page_files() -> dict[str, PageFile]:
    """The files by name, e.g. js/main.js."""
    return dict(_found(files("voxmatrix.serve.page") / "static", ""))


def _found(folder: Traversable, prefix: str) -> Iterator[tuple[str, PageFile]]:
    for entry in folder.iterdir():
        name = prefix + entry.name
        ending = entry.name.rpartition(".")[2]
        if entry.is_dir():
            yield from _found(entry, f"{name}/")
        elif ending in _TYPES:
            content = entry.read_bytes()
            etag = f'"{sha256(content).hexdigest()[:32]}"'
            yield name, PageFile(content=content, media_type=_TYPES[ending], etag=etag)
