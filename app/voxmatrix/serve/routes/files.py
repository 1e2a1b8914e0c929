"""Uploads, and what is in an uploaded book."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.requests import ClientDisconnect

from voxmatrix.serve.book_process import read_book_in_process
from voxmatrix.serve.jobs.kinds.book import Parts, kinds_words, source_book
from voxmatrix.serve.jobs.kinds.kind import Id, Name, named_voice
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError


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

    @router.post("/v1/books/inspect")
    def inspect(body: InspectRequest) -> dict[str, Any]:
        """What `book inspect --json` prints."""
        book = source_book(services.jobs.sources, body)
        options = [*kinds_words(body.include, body.exclude), *(["--notes"] if body.notes else [])]
        voice = None if body.voice is None else named_voice(services.jobs.sources, body.voice)[0].path.absolute()
        if voice is not None:
            options.append(f"--voice={voice}")
        return read_book_in_process(book, "inspect", options, voice)

    return router


async def _blocks(request: Request) -> AsyncIterator[bytes]:
    try:
        async for block in request.stream():
            yield block
    except ClientDisconnect as error:
        raise ClientDisconnectedError from error
