"""Run the server until it is stopped."""

import asyncio
import errno
import socket
import warnings
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext

import uvicorn

from voxmatrix.errors import BadInputError, DamagedFileError, Finding, UsageError, VoxmatrixError
from voxmatrix.serve.app import make_app
from voxmatrix.serve.log import Log, log_finding
from voxmatrix.serve.security.connections import HttpConnection, WebSocketConnection
from voxmatrix.serve.services import Services, make_services
from voxmatrix.serve.settings import ServeSettings

#: Answers that are running when the server is stopped have this long to end.
_GRACE_SECONDS = 5
#: The headers of a request; uvicorn answers longer ones with 400.
_MAX_HEADER_BYTES = 32 * 1024
_TIDY_SECONDS = 30.0
OnReady = Callable[[str], None]


class HttpServer:
    """One server. `stop` may be called from any thread."""

    def __init__(self, settings: ServeSettings, log: Log) -> None:
        """Nothing is opened yet.

        Raises:
            BadInputError: there is no such voice, or its config is missing or invalid.
            DamagedFileError: a file of the voice is corrupt.
        """
        self.services = make_services(settings, log)
        self._server = _Server(self.services)

    def run(self, on_ready: OnReady) -> None:
        """Answer requests until SIGINT, SIGTERM or `stop`. `on_ready` gets each URL once the default voice is loaded.

        Raises:
            UsageError: the address cannot be used.
            BadInputError, DamagedFileError, MemoryExhaustedError: the default voice cannot be loaded.
            NoDeviceError, NoKernelsError: the required device cannot be used.
            KeyboardInterrupt: a signal has stopped the server.
        """
        settings = self.services.settings
        with ExitStack() as stack:
            listening = stack.enter_context(closing(listening_socket(settings.host, settings.port, "`port=3001`")))
            urls = [url_of(settings.host, listening.getsockname()[1])]
            wyoming = None
            if settings.wyoming_port is not None:
                host, port = settings.wyoming_host, settings.wyoming_port
                wyoming = stack.enter_context(closing(listening_socket(host, port, "`wyoming_port=10201`")))
                urls.append(url_of(host, wyoming.getsockname()[1], "tcp"))

            def ready() -> None:
                for url in urls:
                    on_ready(url)

            asyncio.run(self._run(listening, wyoming, ready))

    def stop(self) -> None:
        """End all answers within some seconds, and then `run`."""
        self._server.should_exit = True

    async def _run(self, listening: socket.socket, wyoming: socket.socket | None, on_ready: Callable[[], None]) -> None:
        starting = asyncio.create_task(_start(self.services, self._server, on_ready))
        beside = [starting, *([asyncio.create_task(_speak_wyoming(self.services, wyoming))] if wyoming else [])]
        try:
            await self._server.serve(sockets=[listening])
        finally:
            for task in beside:
                task.cancel()
            await self.services.speech.close()
            self.services.voices.close()
            await asyncio.wait(beside)
            await asyncio.to_thread(self.services.jobs.close)
        if not starting.cancelled():
            starting.result()  # a voice that cannot be loaded ends the server


async def _speak_wyoming(services: Services, listening: socket.socket) -> None:
    with warnings.catch_warnings():
        # wyoming 1.10 imports audioop up to Python 3.12, and does without it from 3.13 on.
        warnings.filterwarnings("ignore", "'audioop' is deprecated", DeprecationWarning)
        from voxmatrix.serve.wyoming.server import WyomingServer, announced

    async with announced(listening) if services.settings.zeroconf else nullcontext():
        await WyomingServer(services).run(listening)


class _Server(uvicorn.Server):
    """Tells streams of events to end, which would otherwise last until the grace period is over."""

    def __init__(self, services: Services) -> None:
        super().__init__(_config(services))
        self._closing = services.jobs.closing

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the server."""
        self._closing.set()
        await super().shutdown(sockets)


async def _start(services: Services, server: _Server, on_ready: Callable[[], None]) -> None:
    """Load the default voice, say so, and from then on unload voices that were not used for long."""
    try:
        await asyncio.to_thread(_load_default, services)
    except VoxmatrixError:
        server.should_exit = True
        raise
    await asyncio.to_thread(services.jobs.open)
    on_ready()
    while True:
        await asyncio.sleep(_TIDY_SECONDS)
        await asyncio.to_thread(services.voices.tidy)
        await asyncio.to_thread(services.jobs.tidy)


def _load_default(services: Services) -> None:
    """Load the default voice. One that cannot be loaded is passed over, unless the settings name it."""
    while not services.started.is_set():
        card = services.catalogue.default
        try:
            with services.voices.use(card):
                services.started.set()
        except (BadInputError, DamagedFileError) as error:
            if services.settings.voice is not None or services.voices.has_failed(services.catalogue.default):
                raise
            log_finding(services.log, Finding(problem=error.problem, remedy=error.remedy, severity="warning"))


def _config(services: Services) -> uvicorn.Config:
    """No access log, since the gate has its own, and no messages of uvicorn's about failures that it has logged."""
    return uvicorn.Config(
        make_app(services),
        http=HttpConnection,
        ws=WebSocketConnection,
        ws_max_size=services.settings.max_body_bytes,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
    )


def listening_socket(host: str, port: int, example: str) -> socket.socket:
    """A socket that listens there. `example` is the setting with another port.

    Raises:
        UsageError: the port is in use, or the host is not one of this computer.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server((str(address[0]), port), family=family, backlog=512)
    except OSError as error:
        reason = error.strerror or str(error)
        remedy = f"stop the program that uses the port, or choose another one, e.g. {example}"
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            remedy = "set `host` to an address of this computer: 127.0.0.1 for itself only, 0.0.0.0 for others, too"
        raise UsageError(f"cannot listen on port {port} of {host}: {reason}", remedy) from error


def url_of(host: str, port: int, scheme: str = "http") -> str:
    """The URL of the server."""
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
