"""Connections that take without giving: too many of them, heads that never arrive, pings whose answers nobody reads."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

#: The head of a request has to arrive within this time, and so has what is left of a body when its answer is complete.
HEAD_TIMEOUT_SECONDS = 20.0
#: Further ones are closed at once. Systems often allow a process 1,024 files.
MAX_CONNECTIONS = 768


class HttpConnection(H11Protocol):
    """An HTTP connection that does not wait for ever."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._start_head_timer()

    def data_received(self, data: bytes) -> None:
        """Data has arrived: from now on, the rest of the head is timed."""
        super().data_received(data)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        super().connection_lost(exc)
        self._stop_head_timer()

    def _start_head_timer(self) -> None:
        """Time the head; it is the turn of the server from its end to the end of the answer."""
        if self.conn.their_state is not h11.IDLE and self.conn.our_state is not h11.DONE:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_TIMEOUT_SECONDS, self.transport.abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket whose answers to pings do not pile up."""

    def handle_ping(self) -> None:
        """A ping has arrived. It is answered unless the client leaves what was sent before unread."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()  # the answer, which is dropped
