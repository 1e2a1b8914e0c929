"""Work in a thread that is told when the client has left."""

import threading
from collections.abc import Callable
from typing import TypeVar

from anyio import to_thread
from fastapi import Request

from voxmatrix.serve.speech.sending import cancel_on_disconnect

T = TypeVar("T")


async def until_left(request: Request, work: Callable[[threading.Event], T]) -> T:
    """The result of work in a thread. Its event is set as soon as the client disconnects, or the server ends.

    Raises:
        ClientDisconnectedError: the client has disconnected.
        And what `work` raises.
    """
    left = threading.Event()
    try:
        working = to_thread.run_sync(work, left, abandon_on_cancel=True)
        return await cancel_on_disconnect(request.receive, working)
    finally:
        left.set()
