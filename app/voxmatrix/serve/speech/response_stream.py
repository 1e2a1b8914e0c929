"""What a computing thread hands to the event loop, piece by piece."""

import asyncio
import threading


class ClientDisconnectedError(Exception):
    """The client has closed the connection, or no longer reads: nothing more need be computed for it."""


class ResponseStream:
    """A queue from a thread to a task. It is as long as an answer, so that a slow reader holds up no computation."""

    def __init__(self) -> None:
        """Belongs to the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._disconnected = threading.Event()

    def put(self, data: bytes) -> None:
        """Called by the thread. Data for a client that has left is dropped."""
        self._send(data)

    def check(self) -> None:
        """Called by the thread before each step.

        Raises:
            ClientDisconnectedError: the client has disconnected.
        """
        if self._disconnected.is_set():
            raise ClientDisconnectedError

    def end(self, error: Exception | None = None) -> None:
        """Called last, by the thread or the task that waits for its turn."""
        self._send(error)

    def disconnect(self) -> None:
        """The client has disconnected."""
        self._disconnected.set()

    async def next(self) -> bytes | None:
        """The next piece; None at the end.

        Raises:
            Exception: whatever ended the computation.
        """
        item = await self._queue.get()
        if isinstance(item, Exception):
            raise item
        return item

    def _send(self, item: bytes | Exception | None) -> None:
        if not self._disconnected.is_set():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)
