"""Uploads, and what is in an uploaded book."""

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.requests import ClientDisconnect

from voxmatrix.book.read.calibre import PROGRAM
from voxmatrix.child_environment import for_voxmatrix
from voxmatrix.compute.child import json_objects
from voxmatrix.config import MESSAGES_VARIABLE, engine_folders, environment, home, voice_folders
from voxmatrix.landlock import Limits, program_files, python_folders
from voxmatrix.processes import run
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.kinds.book import Parts, book_of, kinds_words
from voxmatrix.serve.jobs.kinds.kind import Id, Name, exactly_one, named_voice
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError
from voxmatrix.text.phonemes.espeak import LIBRARY_VARIABLE

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
        voice = None if body.voice is None else named_voice(sources, body.voice)[0].path.absolute()
        if voice is not None:
            options.append(f"--voice={voice}")
        if not slots.acquire(timeout=_INSPECT_SECONDS / 4):
            raise ApiError(429, "other books are being inspected", code="busy", headers=_BUSY)
        try:
            return _inspected(book.absolute(), options, voice)
        finally:
            slots.release()

    return router


async def _blocks(request: Request) -> AsyncIterator[bytes]:
    try:
        async for block in request.stream():
            yield block
    except ClientDisconnect as error:
        raise ClientDisconnectedError from error


def _inspected(book: FilePath, options: list[str], voice: FilePath | None) -> dict[str, Any]:
    """Inspect in a process of its own, which a hostile book can do no harm to the server from: it has no secrets, and
    can read and write little.

    Raises:
        ApiError: the book cannot be read.
    """
    command = [sys.executable, "-P", "-m", "voxmatrix_entrypoint", "book", "inspect", str(book), *options, "--json"]
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        own = {MESSAGES_VARIABLE: "plain", "VOXMATRIX_HOME": str(home().absolute()), "TMPDIR": folder}
        try:
            done = run(
                command,
                environment={**for_voxmatrix(), **own},
                limits=_limits(book, voice, FilePath(folder)),
                timeout_seconds=_INSPECT_SECONDS,
                stderr=subprocess.DEVNULL,
                cwd=folder,  # not where settings of the server may be
            )
        except subprocess.TimeoutExpired as error:
            raise ApiError(400, "the book takes too long to read", param="file", code="invalid_value") from error
    found = list(json_objects(done.stdout.decode("utf-8", "replace")))
    if not found:
        raise ApiError(400, "the book cannot be read", param="file", code="invalid_value")
    if done.returncode:
        message = str(found[-1].get("problem", "the book cannot be read")).replace(f"{book.parent}/", "")
        raise ApiError(400, message, param="file", code="invalid_value")
    return found[-1]


def _limits(book: FilePath, voice: FilePath | None, folder: FilePath) -> Limits:
    """What an inspection may use: the book and what converts it; and to measure a voice, all that voices need."""
    calibre = shutil.which(PROGRAM)
    reads = [book, *python_folders(), *(program_files(calibre) if calibre else ())]
    if voice is None:
        return Limits(reads=tuple(reads), writes=(folder,), devices=True)
    cache, espeak = home().absolute() / "cache", environment().get(LIBRARY_VARIABLE)
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    reads += [FilePath(espeak).absolute().parent] if espeak else []
    reads += [voice, FilePath(f"{voice}.json"), *voice_folders(), *engine_folders(), cache]
    return Limits(reads=tuple(reads), writes=(folder, cache), devices=True, network=True)
