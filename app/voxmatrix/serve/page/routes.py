"""The routes of the page. They need no key: the page asks for one, and sends it with every request to the API."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

import voxmatrix
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.page.files import FOLDER, INDEX, PageFile, page_files
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.formats import FORMAT_NAMES

_ROOT = "/"
#: Nothing comes from elsewhere, so that the page works without a network and no other site can get into it.
_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "media-src 'self' blob:; "  # blob: what the page has fetched with a key, which an audio element cannot send
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",  # asks each time, and is answered with 304 while the file is the same
}


def belongs_to_page(path: str) -> bool:
    """Whether this is the path of a file of the page."""
    return path == _ROOT or path.startswith(FOLDER)


def page_routes(services: Services) -> APIRouter:
    """The routes of the page and its files."""
    router = APIRouter(include_in_schema=False)
    files = page_files()

    @router.get(_ROOT)
    async def index(request: Request) -> Response:
        return _answer(request, files[INDEX])

    @router.get(FOLDER + "settings.json")
    async def settings() -> dict[str, Any]:
        limit = services.settings.max_input
        return {"version": voxmatrix.__version__, "max_input": limit, "formats": FORMAT_NAMES}

    @router.get(FOLDER + "{name:path}")
    async def file(name: str, request: Request) -> Response:
        if name not in files:
            raise ApiError(404, "the page has no such file", code="not_found")
        return _answer(request, files[name])

    return router


def _answer(request: Request, file: PageFile) -> Response:
    headers = {**_HEADERS, "ETag": file.etag}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
