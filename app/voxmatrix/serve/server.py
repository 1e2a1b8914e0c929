"""Run the server until it is stopped."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import closing

import uvicorn

from voxmatrix.errors import UsageError, VoxmatrixError
from voxmatrix.serve.app import make_app
from voxmatrix.serve.log import Log
from voxmatrix.serve.services import Services, make_services
from voxmatrix.serve.settings import ServeSettings

#: Answers that are running when the server is stopped have this long to end.
_GRACE_SECONDS = 5
#: The headers of a request; uvicorn answers longer ones with 400.
_MOST_HEADER_BYTES = 32 * 1024
_TIDY_SECONDS = 30.0
OnReady = Callable[[str], None]


def serve(settings: ServeSettings, log: Log, on_ready: OnReady) -> None:
    """Answer requests until SIGINT or SIGTERM. `on_ready` gets the URL once the default voice is loaded.

    Raises:
        UsageError: the address cannot be used.
        BadInputError: there is no such voice, or it cannot be used.
        DamagedFileError: a file of the voice is corrupt.
        NoDeviceError, NoKernelsError: the required device cannot be used.
        KeyboardInterrupt: the server was stopped.
    """
    with closing(listening_socket(settings.host, settings.port)) as listening:
        url = url_of(settings.host, listening.getsockname()[1])
        asyncio.run(_serve(settings, log, listening, lambda: on_ready(url)))


async def _serve(settings: ServeSettings, log: Log, listening: socket.socket, on_ready: Callable[[], None]) -> None:
    services = make_services(settings, log)
    server = uvicorn.Server(_config(services))
    starting = asyncio.create_task(_start(services, server, on_ready))
    try:
        await server.serve(sockets=[listening])
    finally:
        starting.cancel()
        await services.speakers.close()
        services.voices.close()
        await asyncio.wait([starting])
    if not starting.cancelled():
        starting.result()  # a voice that cannot be loaded ends the server


async def _start(services: Services, server: uvicorn.Server, on_ready: Callable[[], None]) -> None:
    """Load the default voice, say so, and from then on unload voices that were not used for long."""
    try:
        await asyncio.to_thread(_load_default, services)
    except VoxmatrixError:
        server.should_exit = True
        raise
    on_ready()
    while True:
        await asyncio.sleep(_TIDY_SECONDS)
        await asyncio.to_thread(services.voices.tidy)


def _load_default(services: Services) -> None:
    with services.voices.use(services.catalogue.default) as opened, opened.front():
        pass


def _config(services: Services) -> uvicorn.Config:
    """No access log, since the gate has its own, and no messages of uvicorn's about failures that it has logged."""
    return uvicorn.Config(
        make_app(services),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        h11_max_incomplete_event_size=_MOST_HEADER_BYTES,
    )


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        UsageError: the port is in use, or the host is not one of this computer.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server((str(address[0]), port), family=family, backlog=512)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"cannot listen on {url_of(host, port)}: {reason}",
            "stop the program that uses the port, or choose another one, e.g. --port 3001",
        ) from error


def url_of(host: str, port: int) -> str:
    """The URL of the server."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
