"""Send an answer piece by piece, until it is complete or the client has left."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxmatrix.serve.speech.answer import Answer
from voxmatrix.serve.speech.events import Framing

T = TypeVar("T")
#: A client that accepts nothing for this long is taken for gone.
STALLED_SECONDS = 60.0


class ClientLeftError(Exception):
    """The client has closed the connection, or no longer reads."""


class SpeechResponse(Response):
    """An answer whose first piece is known. A failure after it ends the connection without a clean end."""

    def __init__(self, answer: Answer, first: bytes, framing: Framing, media_type: str) -> None:
        super().__init__(media_type=media_type, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._answer = answer
        self._first = first
        self._framing = framing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything.

        Raises:
            ClientLeftError: the client has left.
            VoxmatrixError: the server failed.
        """
        try:
            await until_left(receive, self._send_all(send))
        finally:
            await asyncio.shield(self._answer.close())

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for piece in self._pieces():
                await _send(send, piece, more=True)
        except Exception as error:
            if failure := self._framing.failure(error):
                await _send(send, failure, more=True)
            raise
        await _send(send, self._framing.end(self._answer.spoken), more=False)

    async def _pieces(self) -> AsyncIterator[bytes]:
        yield self._framing.piece(self._first)
        async for piece in self._answer.rest():
            yield self._framing.piece(piece)


async def until_left(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Do the work. It is cancelled when the client leaves.

    Raises:
        ClientLeftError: the client has left.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientLeftError
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.wait([working, leaving])


async def in_time(sending: Awaitable[None]) -> None:
    """Wait until the client has accepted what is being sent.

    Raises:
        ClientLeftError: it accepts nothing any more.
    """
    try:
        async with asyncio.timeout(STALLED_SECONDS):
            await sending
    except TimeoutError as error:
        raise ClientLeftError from error


async def _left(receive: Receive) -> None:
    while (await receive())["type"] not in ("http.disconnect", "websocket.disconnect"):
        pass


async def _send(send: Send, data: bytes, *, more: bool) -> None:
    await in_time(send({"type": "http.response.body", "body": data, "more_body": more}))
