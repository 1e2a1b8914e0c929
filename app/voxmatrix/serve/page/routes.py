"""The routes of the page. A request names a file and never becomes part of a path.

They need no key: the page asks for one, and sends it with every request to the API.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

import voxmatrix
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.page import api_docs
from voxmatrix.serve.page.files import FOLDER, INDEX, PageFile, read_page
from voxmatrix.serve.services import Services
from voxmatrix.serve.settings import PREFIX
from voxmatrix.serve.speech.formats import FORMAT_NAMES

_ROOT = "/"
#: The language that somebody has chosen on the page (js/language.js).
LANGUAGE_COOKIE = "voxmatrix-language"
#: Nothing comes from elsewhere, so that the page works without a network and no other site can get into it.
_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'; "
    "media-src 'self' blob:; "  # blob: what the page has fetched with a key, which an audio element cannot send
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_INDEX_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",  # asks each time, and is answered with 304 while the file is the same
    "Vary": "Accept-Encoding, Accept-Language, Cookie, X-Forwarded-Prefix",
}
_FILE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'",  # where one is opened as a page
    "Cache-Control": "public, max-age=31536000, immutable",  # what has changed has another address
    "Vary": "Accept-Encoding",
}
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")
#: A language that is accepted, without its country, and how much it is wanted (RFC 9110, 12.5.4).
_LANGUAGE = re.compile(r"(?:^|,)\s*([a-z]{2,3})\b[a-z0-9-]*\s*(?:;\s*q=([01](?:\.\d*)?))?\s*(?=,|$)")


def belongs_to_page(path: str) -> bool:
    """Whether this is the path of a file of the page."""
    return path in {_ROOT, api_docs.PATH} or path.startswith(FOLDER)


def page_routes(services: Services) -> APIRouter:
    """The routes of the page and its files."""
    router = APIRouter(include_in_schema=False)
    page = read_page()

    @router.get(_ROOT)
    async def index(request: Request) -> Response:
        prefix = services.settings.root_path or request.headers.get("x-forwarded-prefix", "").rstrip("/")
        languages = {"en", *page.translations}
        chosen = request.cookies.get(LANGUAGE_COOKIE, "")
        language = chosen if chosen in languages else _preferred(request.headers.get("accept-language", ""), languages)
        shown = page.translations.get(language, page.files[INDEX])
        return _answer(request, _below(shown, prefix), _INDEX_HEADERS)

    @router.get(FOLDER + "settings.json")
    async def settings() -> dict[str, Any]:
        return {
            "version": voxmatrix.__version__,
            "max_input": services.settings.max_input,
            "formats": FORMAT_NAMES,
            "wyoming_port": services.settings.wyoming_port,
        }

    @router.get(FOLDER + "{version}/{name:path}")
    async def file(version: str, name: str, request: Request) -> Response:
        if version != page.version or name not in page.files:
            raise ApiError(404, "the page has no such file, or no longer", code="not_found")
        return _answer(request, page.files[name], _FILE_HEADERS)

    api_docs.docs_routes(router)
    return router


def _below(index: PageFile, prefix: str) -> PageFile:
    """The page where a proxy shows it below this path. Its addresses are relative, but for who omits the last slash."""
    if not PREFIX.fullmatch(prefix):
        return index
    base = f'<base href="{prefix}/">'.encode()
    return replace(index, content=index.content.replace(b"<head>", b"<head>" + base, 1))


def _preferred(accepted: str, languages: Collection[str]) -> str:
    """The one of these languages that a browser wants most; "" if it wants none of them."""
    wanted = [(float(quality or 1), tag) for tag, quality in _LANGUAGE.findall(accepted.lower())]
    wanted.sort(key=lambda one: one[0], reverse=True)
    return next((tag for quality, tag in wanted if quality and tag in languages), "")


def _answer(request: Request, file: PageFile, headers: dict[str, str]) -> Response:
    compress = _GZIP.search(request.headers.get("accept-encoding", "")) is not None
    etag = f'"{file.digest}{"-gzip" if compress else ""}"'
    headers = {**headers, "ETag": etag}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if compress:
        headers["Content-Encoding"] = "gzip"
    return Response(file.compressed if compress else file.content, media_type=file.media_type, headers=headers)
