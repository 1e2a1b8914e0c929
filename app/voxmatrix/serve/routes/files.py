"""Uploads, and what is in an uploaded book."""

import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.requests import ClientDisconnect

from voxmatrix.compute.child import json_objects
from voxmatrix.config import MESSAGES_VARIABLE, environment
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.kinds.book import Parts, book_of, kinds_words
from voxmatrix.serve.jobs.kinds.kind import Id, Name, exactly_one, named_voice
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError

_INSPECT_SECONDS = 120.0
_MAX_CONCURRENT_INSPECTIONS = 2
_BUSY = {"Retry-After": "10"}


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
    slots = threading.BoundedSemaphore(_MAX_CONCURRENT_INSPECTIONS)

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
        exactly_one(body, "file", "job")
        sources = services.jobs.sources
        book = book_of(*sources.job(body.job)) if body.job is not None else uploads.get(body.file or "").path
        options = [*kinds_words(body.include, body.exclude), *(["--notes"] if body.notes else [])]
        if body.voice is not None:
            options.append(f"--voice={named_voice(sources, body.voice)[0].path.absolute()}")
        if not slots.acquire(timeout=_INSPECT_SECONDS / 4):
            raise ApiError(429, "other books are being inspected", code="busy", headers=_BUSY)
        try:
            return _inspected([str(book), *options])
        finally:
            slots.release()

    return router


async def _blocks(request: Request) -> AsyncIterator[bytes]:
    try:
        async for block in request.stream():
            yield block
    except ClientDisconnect as error:
        raise ClientDisconnectedError from error


def _inspected(words: list[str]) -> dict[str, Any]:
    """Inspect in a process of its own, which a hostile book can do no harm to the server from.

    Raises:
        ApiError: the book cannot be read.
    """
    command = [sys.executable, "-P", "-m", "voxmatrix_entrypoint", "book", "inspect", *words, "--json"]
    try:
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment(), MESSAGES_VARIABLE: "plain"},
            timeout=_INSPECT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise ApiError(400, "the book takes too long to read", param="file", code="invalid_value") from error
    found = list(json_objects(done.stdout.decode("utf-8", "replace")))
    if not found:
        raise ApiError(400, "the book cannot be read", param="file", code="invalid_value")
    if done.returncode:
        folder = words[0].rpartition("/")[0]
        message = str(found[-1].get("problem", "the book cannot be read")).replace(f"{folder}/", "")
        raise ApiError(400, message, param="file", code="invalid_value")
    return found[-1]
