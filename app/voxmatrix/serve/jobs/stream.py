"""The events of a job, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator

from voxmatrix.serve.jobs.job import ENDED, Event
from voxmatrix.serve.jobs.jobs import Jobs

_POLL_SECONDS = 0.25
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


def _framed(event: Event) -> bytes:
    return f"id: {event.id}\nevent: {event.name}\ndata: {json.dumps(event.data)}\n\n".encode()
