"""The page: its files, read once, and its routes. A request names a file and never becomes part of a path.

The routes need no key: the page asks for one, and sends it with every request to the API.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

import voxmatrix
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.page import api_docs
from voxmatrix.serve.services import Services
from voxmatrix.serve.settings import PREFIX
from voxmatrix.serve.speech.formats import FORMAT_NAMES

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
            yield name, PageFile(content=content, media_type=_TYPES[ending], etag=_etag(content))


_ROOT = "/"
#: Nothing comes from elsewhere, so that the page works without a network and no other site can get into it.
_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'; "
    "media-src 'self' blob:; "  # blob: what the page has fetched with a key, which an audio element cannot send
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",  # asks each time, and is answered with 304 while the file is the same
    "Vary": "X-Forwarded-Prefix",
}


def belongs_to_page(path: str) -> bool:
    """Whether this is the path of a file of the page."""
    return path in {_ROOT, api_docs.PATH} or path.startswith(FOLDER)


def page_routes(services: Services) -> APIRouter:
    """The routes of the page and its files."""
    router = APIRouter(include_in_schema=False)
    files = page_files()

    @router.get(_ROOT)
    async def index(request: Request) -> Response:
        prefix = services.settings.root_path or request.headers.get("x-forwarded-prefix", "").rstrip("/")
        return _answer(request, _below(files[INDEX], prefix))

    @router.get(FOLDER + "settings.json")
    async def settings() -> dict[str, Any]:
        return {
            "version": voxmatrix.__version__,
            "max_input": services.settings.max_input,
            "formats": FORMAT_NAMES,
            "wyoming_port": services.settings.wyoming_port,
        }

    @router.get(FOLDER + "{name:path}")
    async def file(name: str, request: Request) -> Response:
        if name not in files:
            raise ApiError(404, "the page has no such file", code="not_found")
        return _answer(request, files[name])

    api_docs.docs_routes(router)
    return router


def _below(index: PageFile, prefix: str) -> PageFile:
    """The page where a proxy shows it below this path. Its addresses are relative, but for who omits the last slash."""
    if not PREFIX.fullmatch(prefix):
        return index
    base = f'<base href="{prefix}/">'.encode()
    content = index.content.replace(b"<head>", b"<head>" + base, 1)
    return replace(index, content=content, etag=_etag(content))


def _etag(content: bytes) -> str:
    return f'"{sha256(content).hexdigest()[:32]}"'


def _answer(request: Request, file: PageFile) -> Response:
    headers = {**_HEADERS, "ETag": file.etag}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
