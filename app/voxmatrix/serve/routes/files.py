"""Uploads, and what is in an uploaded book."""

import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.requests import ClientDisconnect

from voxmatrix.errors import UnreachableError
from voxmatrix.serve.book_process import read_book_in_process
from voxmatrix.serve.jobs.jobs import Jobs
from voxmatrix.serve.jobs.kinds.book import Parts, kinds_words, source_book
from voxmatrix.serve.jobs.kinds.kind import Id, Name, named_voice
from voxmatrix.serve.jobs.uploads import Upload
from voxmatrix.serve.leaving import until_left
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError
from voxmatrix.serve.voice_speed import speed_here

_MOST_DRAFTS = 50


class InspectRequest(BaseModel):
    """The body of `/v1/books/inspect`."""

    model_config = ConfigDict(extra="forbid")

    file: Id | None = None
    job: Id | None = None  # of an earlier audiobook
    include: Parts | None = None
    exclude: Parts | None = None
    notes: bool = False
    voice: Name | None = None  # whose speed is measured


def file_routes(services: Services) -> APIRouter:
    """The routes of uploads and of the inspection of books."""
    router = APIRouter(route_class=Route)
    uploads = services.jobs.uploads

    @router.post("/v1/files", status_code=201)
    async def upload(request: Request, name: Annotated[str, Query(min_length=1, max_length=1024)]) -> dict[str, Any]:
        """Keep a file for jobs."""
        return (await uploads.save(name, _blocks(request))).to_json()

    @router.delete("/v1/files/{file}")
    def remove(file: Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]) -> dict[str, Any]:
        """Remove an upload."""
        uploads.remove(file)
        return {"id": file, "deleted": True}

    _add_book_routes(router, services)
    return router


def _add_book_routes(router: APIRouter, services: Services) -> None:
    """The routes of books of which nothing is made yet."""
    jobs = services.jobs

    @router.post("/v1/books/inspect")
    async def inspect(body: InspectRequest, request: Request) -> dict[str, Any]:
        """What `book inspect --json` prints."""

        def contents(left: threading.Event) -> dict[str, Any]:
            voice = None if body.voice is None else named_voice(jobs.sources, body.voice)[0]
            found = _contents(jobs, body, left)
            return found if voice is None else {**found, **speed_here(voice, left, jobs.closing)}

        return await until_left(request, contents)

    @router.get("/v1/books/drafts")
    def list_drafts() -> dict[str, Any]:
        """Books that were opened, and of which nothing is made yet, the newest first."""
        return {"data": [_draft(*draft) for draft in jobs.uploads.drafts()[:_MOST_DRAFTS]]}


def _contents(jobs: Jobs, body: InspectRequest, left: threading.Event) -> dict[str, Any]:
    """What is in a book; of an upload, it is kept."""
    options = [*kinds_words(body.include, body.exclude), *(["--notes"] if body.notes else [])]
    book = source_book(jobs.sources, body)
    if body.file is None or options:
        return read_book_in_process(book, "inspect", options, left)
    kept = jobs.uploads.contents(body.file)
    if kept is None:
        kept = read_book_in_process(book, "inspect", options, left)
        with suppress(UnreachableError):  # then it is read again
            jobs.uploads.keep_contents(body.file, kept)
    return kept


def _draft(book: Upload, contents: dict[str, Any], opened: float) -> dict[str, Any]:
    facts = {name: contents[name] for name in ("title", "authors", "language", "thumbnail")}
    seconds = [chapter["seconds"] for chapter in contents["chapters"]]
    return {**book.to_json(), **facts, "chapters": len(seconds), "seconds": round(sum(seconds), 1), "opened": opened}


async def _blocks(request: Request) -> AsyncIterator[bytes]:
    try:
        async for block in request.stream():
            yield block
    except ClientDisconnect as error:
        raise ClientDisconnectedError from error
