"""Listens for Wyoming clients. The protocol has no keys: whoever reaches the port may speak."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from wyoming.event import Event, async_read_event

from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError
from voxmatrix.serve.wyoming.session import Session

_MAX_CONNECTIONS = 64
#: Events that a client may send while an earlier one is answered.
_MAX_WAITING = 16
#: A client that is told nothing and says nothing for this long is taken for gone. A language model may think meanwhile.
_QUIET_SECONDS = 300.0
#: The longest line. A longer one is not an event.
LINE_BYTES = 64 * 1024
_SERVICE = "_wyoming._tcp.local."
_MULTICAST = "224.0.0.251"


class BoundedReader(asyncio.StreamReader):
    """A stream whose blocks have at most as many bytes as a text may take."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(limit=LINE_BYTES)
        self._most_bytes = most_bytes

    async def readexactly(self, n: int) -> bytes:
        """The next `n` bytes.

        Raises:
            ValueError: they are too many. The library takes that for the end of the stream.
            asyncio.IncompleteReadError: the stream has ended.
        """
        if n > self._most_bytes:
            raise ValueError(f"an event has {n:,} bytes; at most {self._most_bytes:,} are read")
        return await super().readexactly(n)


class WyomingServer:
    """Serves connections until it is closed. Belongs to one event loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._connections: set[asyncio.Task[None]] = set()

    async def run(self, listening: socket.socket) -> None:
        """Listen until cancelled, and end all connections then."""
        server = await asyncio.get_running_loop().create_server(self._protocol, sock=listening)
        try:
            await server.serve_forever()
        finally:
            for connection in self._connections:
                connection.cancel()
            if self._connections:
                await asyncio.wait(self._connections)

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(BoundedReader(self._services.settings.max_body_bytes), self._accept)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= _MAX_CONNECTIONS:
            writer.close()
            return
        connection = asyncio.create_task(self._converse(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        events: asyncio.Queue[Event] = asyncio.Queue(_MAX_WAITING)
        address = writer.get_extra_info("peername")
        session = Session(self._services, writer, address[0] if address else "")
        tasks = {asyncio.create_task(_read(reader, events)), asyncio.create_task(_handle(events, session))}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            session.close()
            writer.close()


@asynccontextmanager
async def announced(listening: socket.socket) -> AsyncIterator[None]:
    """Announce a listening server in the network (mDNS), as Home Assistant looks for it, until the block ends."""
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    host, port = listening.getsockname()[:2]
    name = socket.gethostname().partition(".")[0]
    if ipaddress.ip_address(host).is_unspecified:
        host = _address_in_network()
    info = AsyncServiceInfo(
        _SERVICE, f"voxmatrix-{name}.{_SERVICE}", parsed_addresses=[host], port=port, server=f"{name}.local."
    )
    async with AsyncZeroconf() as zeroconf:
        await zeroconf.async_register_service(info, allow_name_change=True)
        yield


def _address_in_network() -> str:
    """The address of this computer that multicasts are sent from."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((_MULTICAST, 1))
        return str(probe.getsockname()[0])


async def _read(reader: asyncio.StreamReader, events: asyncio.Queue[Event]) -> None:
    """Read events until the client leaves, or sends something else."""
    try:
        while (event := await async_read_event(reader)) is not None:
            await events.put(event)
    except (KeyError, TypeError, AttributeError, RecursionError, EOFError, ConnectionError):
        return


async def _handle(events: asyncio.Queue[Event], session: Session) -> None:
    """Answer events until there is an error, or nothing more comes."""
    try:
        going_on = True
        while going_on:
            async with asyncio.timeout(_QUIET_SECONDS):
                event = await events.get()
            going_on = await session.handle(event)
    except (TimeoutError, ClientDisconnectedError, ConnectionError):
        return
