"""Jobs: asked for, listed, followed as server-sent events, cancelled, resumed, downloaded and removed."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import ENDED, Event
from voxmatrix.serve.jobs.jobs import AnyJobRequest, Jobs
from voxmatrix.serve.jobs.kinds.kind import Id
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services

_POLL_SECONDS = 0.25
_BLOCK_BYTES = 1 << 18
#: A comment, so that proxies keep the connection, and a client that has left is noticed.
_HEARTBEAT, _HEARTBEAT_SECONDS = b": \n\n", 15.0


async def event_stream(jobs: Jobs, job: str, after: int) -> AsyncIterator[bytes]:
    """All events after this one, as they happen, until the job has ended.

    It asks the store: that leaves nothing behind for a client that leaves, whatever the reason.
    """
    silent = 0.0
    while not jobs.closing.is_set():
        ended = (await asyncio.to_thread(jobs.get, job)).state in ENDED  # before the events, so that none is missed
        events = await asyncio.to_thread(jobs.events, job, after)
        for event in events:
            after = event.id
            yield _framed(event)
        if events:
            silent = 0.0
            continue
        if ended:
            return
        await asyncio.sleep(_POLL_SECONDS)
        silent += _POLL_SECONDS
        if silent >= _HEARTBEAT_SECONDS:
            silent = 0.0
            yield _HEARTBEAT


async def growing_file(jobs: Jobs, job: str, path: FilePath) -> AsyncIterator[bytes]:
    """The file as it grows, until its job has ended; also after it was renamed."""
    try:
        file = await asyncio.to_thread(path.open, "rb")
    except OSError:
        return  # it was complete a moment ago
    with file:
        while not jobs.closing.is_set():
            ended = (await asyncio.to_thread(jobs.get, job)).state in ENDED  # before it is read
            if block := await asyncio.to_thread(file.read, _BLOCK_BYTES):
                yield block
            elif ended:
                return
            else:
                await asyncio.sleep(_POLL_SECONDS)


def _framed(event: Event) -> bytes:
    return f"id: {event.id}\nevent: {event.name}\ndata: {json.dumps(event.data)}\n\n".encode()


_JobId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
_Number = Annotated[int, Query(ge=0, le=2**63 - 1)]
_Kind = Literal["speech", "book", "train", "prepare", "segment", "distil", "export", "benchmark", "download"]
_Kinds = Annotated[tuple[_Kind, ...], Query()]
_EVENTS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_MAX_EVENT_DIGITS = 18


def job_routes(services: Services) -> APIRouter:
    """The routes of jobs."""
    router = APIRouter(route_class=Route, prefix="/v1/jobs")
    jobs = services.jobs

    @router.post("", status_code=201)
    def create_job(body: AnyJobRequest) -> dict[str, Any]:
        """Queue a job."""
        return jobs.submit(body).to_json()

    @router.get("")
    def list_jobs(
        limit: Annotated[int, Query(ge=1, le=100)] = 20, after: Id | None = None, kind: _Kinds = ()
    ) -> dict[str, Any]:
        """Jobs, newest first; of several kinds if `kind` is repeated."""
        found, more = jobs.page(limit, after, kind)
        return {"data": [job.to_json() for job in found], "has_more": more}

    @router.get("/{job}")
    def read_job(job: _JobId) -> dict[str, Any]:
        """A job and its files."""
        found = jobs.get(job)
        files = [{"name": name, "bytes": path.stat().st_size} for name, path in jobs.files(found).items()]
        return {**found.to_json(), "files": files}

    @router.get("/{job}/events", response_class=Response)
    def follow_job(job: _JobId, after: _Number = 0, last_event_id: Annotated[str | None, Header()] = None) -> Response:
        """The events of a job since the last one that the client has seen."""
        seen = last_event_id or ""
        if seen.isascii() and seen.isdecimal() and len(seen) <= _MAX_EVENT_DIGITS:
            after = int(seen)
        if jobs.get(job).state in ENDED and not jobs.events(job, after):
            return Response(status_code=204)  # so that browsers do not connect again
        return StreamingResponse(event_stream(jobs, job, after), media_type="text/event-stream", headers=_EVENTS)

    @router.post("/{job}/cancel")
    def cancel_job(job: _JobId) -> dict[str, Any]:
        """End a job."""
        return jobs.cancel(job).to_json()

    @router.post("/{job}/resume")
    def resume_job(job: _JobId) -> dict[str, Any]:
        """Queue a job again that has failed or was cancelled."""
        return jobs.resume(job).to_json()

    @router.delete("/{job}")
    def remove_job(job: _JobId) -> JSONResponse:
        """Remove a job that has ended, with its files."""
        jobs.remove(job)
        return JSONResponse({"id": job, "deleted": True})

    _add_files(router, jobs)
    return router


def _add_files(router: APIRouter, jobs: Jobs) -> None:
    """The routes of what jobs have made, or are making."""

    @router.get("/{job}/files/{name:path}", response_class=Response)
    def read_file(job: _JobId, name: str) -> Response:
        """A file of a job."""
        path = jobs.files(jobs.get(job)).get(name)
        if path is None:
            raise ApiError(404, "the job has no such file", param="name", code="not_found")
        return FileResponse(path, filename=path.name, headers={"Cache-Control": "no-cache"})

    @router.get("/{job}/live", response_class=Response)
    def read_sound(job: _JobId) -> Response:
        """What a running job of speech has spoken so far and, as it comes, the rest: a WAV stream."""
        path = jobs.unfinished_sound(jobs.get(job))
        if path is None:
            raise ApiError(404, "the job speaks nothing at present", param="job", code="not_found")
        return StreamingResponse(growing_file(jobs, job, path), media_type="audio/wav", headers=_EVENTS)
