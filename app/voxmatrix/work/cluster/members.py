"""The workers of a cluster: as a coordinator knows them by their heartbeats, and how they are when asked."""

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from voxmatrix.work.cluster.broker import cluster_app, queue_of
from voxmatrix.work.cluster.broker_client import BrokerClient
from voxmatrix.work.cluster.worker.state import HEALTH

logger = logging.getLogger(__name__)

#: Without any event for this long, the connection may be a dead one: connect again.
_SILENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.5
#: The thread sees within a second that it should end; if its connection hangs, it is abandoned.
_CLOSE_SECONDS = 1.5
#: More are not remembered: events may come from anybody who can write to the broker.
_MAX_MEMBERS = 20_000
#: Those that have been gone for this long are forgotten.
_FORGET_SECONDS = 600.0

_Name = Annotated[str, Field(pattern=r"^[0-9A-Za-z._-]{1,100}$")]
_Amount = Annotated[float, Field(gt=0, lt=1e9, allow_inf_nan=False)]


@dataclass(frozen=True, kw_only=True)
class Heartbeat:
    """What a worker says about itself."""

    hostname: Annotated[str, Field(pattern=r"^[^@\s]{1,100}@[^@\s]{1,255}$")]  # Celery's name of the node: NAME@HOST
    incarnation: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    queue: Annotated[str, Field(max_length=110)]
    speed: _Amount | None = None

    @property
    def name(self) -> str:
        """The name of the worker."""
        return self.hostname.partition("@")[0]


@dataclass(frozen=True, kw_only=True)
class Member:
    """A worker that was heard."""

    heartbeat: Heartbeat
    heard: float  # on the clock of time.monotonic
    leaving: bool = False  # it has said that it stops


class Members:
    """The workers of the cluster, known by their heartbeats, until `close`."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._members: dict[str, Member] = {}
        self._listening_since: float | None = None
        self._closed = threading.Event()
        self._receiver: Any = None
        self._thread = threading.Thread(target=self._listen, name="heartbeats", daemon=True)
        self._thread.start()

    def heard(self) -> tuple[float | None, dict[str, Member]]:
        """Since when this computer has been able to hear workers (None: it is not), and all that it has heard."""
        with self._lock:
            return self._listening_since, dict(self._members)

    def close(self) -> None:
        """Stop listening."""
        self._closed.set()
        if self._receiver is not None:
            self._receiver.should_stop = True
        self._thread.join(_CLOSE_SECONDS)

    def _listen(self) -> None:
        """Whatever comes, and whatever happens to the connection, listen again."""
        while not self._closed.is_set():
            try:
                self._capture()
            except TimeoutError:
                pass
            except Exception as error:  # a lost connection, or an event that Celery cannot read
                logger.info("listening to workers: %s", type(error).__name__)
                with self._lock:
                    self._listening_since = None
                self._closed.wait(_RETRY_SECONDS)

    def _capture(self) -> None:
        handlers = {
            "worker-online": self._on_heartbeat,
            "worker-heartbeat": self._on_heartbeat,
            "worker-offline": self._on_offline,
            "*": lambda _event: None,
        }
        with self._app.connection_for_read() as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
            self._receiver = self._app.events.Receiver(connection, handlers=handlers, routing_key="worker.#")
            with self._lock:
                self._listening_since = self._listening_since or time.monotonic()
            for _ in self._receiver.itercapture(limit=None, timeout=_SILENCE_SECONDS, wakeup=True):
                if self._closed.is_set():
                    return

    def _on_heartbeat(self, event: Any) -> None:
        try:
            heartbeat = _heartbeats().validate_python(event)
        except ValidationError:
            return  # of another program, or of nobody who means well
        if heartbeat.queue != queue_of(heartbeat.name):
            return
        now = time.monotonic()
        with self._lock:
            if len(self._members) >= _MAX_MEMBERS:
                self._members = {n: m for n, m in self._members.items() if now - m.heard < _FORGET_SECONDS}
            if heartbeat.name in self._members or len(self._members) < _MAX_MEMBERS:
                # Not leaving any more: a worker that has lost its connection says so too, when it is back.
                self._members[heartbeat.name] = Member(heartbeat=heartbeat, heard=now)

    def _on_offline(self, event: Any) -> None:
        name, incarnation = str(event.get("hostname", "")).partition("@")[0], event.get("incarnation")
        with self._lock:
            known = self._members.get(name)
            if known is not None and known.heartbeat.incarnation == incarnation:
                self._members[name] = Member(heartbeat=known.heartbeat, heard=known.heard, leaving=True)


@cache
def _heartbeats() -> TypeAdapter[Heartbeat]:
    return TypeAdapter(Heartbeat)


#: Workers that have not answered by then are not listed.
ANSWER_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class WorkerHealth:
    """One worker; the fields are those of `voxmatrix workers --json`."""

    name: Annotated[str, Field(max_length=100)]
    status: Annotated[str, Field(max_length=20)]
    device_type: Annotated[str, Field(max_length=20)]
    gpu_available: bool
    gpu_count: int
    gpu_memory_free_mb: int
    tts_model_loaded: bool
    cached_models: tuple[str, ...]
    audio_seconds_per_second: float | None
    busy_with: str | None


def workers_health(broker: str, timeout_seconds: float = ANSWER_SECONDS) -> list[WorkerHealth]:
    """All workers that answer in time, by name.

    Raises:
        MissingProgramError: Celery is not installed.
        UnreachableError: the broker does not answer, or refuses this client.
    """
    app = cluster_app(broker)
    mailbox = BrokerClient(app, broker)
    mailbox.check()
    found = []
    for answer in mailbox.ask(HEALTH, timeout_seconds):
        try:
            found.append(_workers().validate_python(answer))
        except ValidationError:
            continue  # another program on the same broker
    return sorted(found, key=lambda worker: worker.name)


def is_running(broker: str, name: str) -> bool:
    """Whether a worker of this name answers.

    Raises:
        As `workers_health`.
    """
    mailbox = BrokerClient(cluster_app(broker), broker)
    mailbox.check()
    answers = mailbox.ask(HEALTH, ANSWER_SECONDS, pattern=f"{name}@*", matcher="glob", limit=1)
    return any(isinstance(answer, Mapping) for answer in answers)


@cache
def _workers() -> TypeAdapter[WorkerHealth]:
    return TypeAdapter(WorkerHealth)
