"""What is noted of a request for the log and the metrics, from its first byte to the last one of its answer."""

import re
import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from starlette.requests import HTTPConnection
from starlette.types import Scope

from voxmatrix.serve.log import Log
from voxmatrix.serve.metrics import ServerMetrics
from voxmatrix.serve.page.files import FOLDER
from voxmatrix.serve.speech.job import SpeechUsage

_ID = re.compile(r"[0-9A-Za-z._:-]{1,128}")
_KEY = "voxmatrix.record"


@dataclass
class RequestRecord:
    """What the log and the metrics say about one request."""

    id: str
    method: str
    started: float = field(default_factory=time.monotonic)
    status: int = 0  # 0: nothing was answered
    first_byte_seconds: float | None = None
    voice: str | None = None
    spoken: SpeechUsage | None = None
    ended_by: str | None = None  # if not by its end
    problem: str | None = None  # of the server

    def note(self, client: str | None, route: str, log: Log, metrics: ServerMetrics) -> None:
        """Write it into the log and the metrics, at the end. A path is not a `route`: it could contain anything."""
        metrics.requests.labels(route, str(int(self.status))).inc()
        if self.first_byte_seconds is not None:
            metrics.first_byte.labels(route).observe(self.first_byte_seconds)
        if self.ended_by is not None:
            metrics.aborted.labels(self.ended_by).inc()
        if self.problem is not None:
            log("error", {"id": self.id, "problem": self.problem})
        if self.status >= 400 or not route.startswith(FOLDER):  # opening the page takes some thirty requests
            log("request", self._facts(client, route))

    def _facts(self, client: str | None, route: str) -> dict[str, Any]:
        return {
            "id": self.id,
            "client": client,
            "method": self.method,
            "path": route,
            "status": int(self.status),
            "seconds": round(time.monotonic() - self.started, 3),
            "first_byte_seconds": None if self.first_byte_seconds is None else round(self.first_byte_seconds, 3),
            "voice": self.voice,
            "audio_seconds": None if self.spoken is None else round(self.spoken.seconds, 2),
            "ended_by": self.ended_by,
        }


def new_request_record(scope: Scope) -> RequestRecord:
    """The record of a request, with its own X-Request-Id if that can be put into a log."""
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"").decode("latin-1")
    method = scope.get("method", "WEBSOCKET")
    record = RequestRecord(given if _ID.fullmatch(given) else new_id(), method)
    scope[_KEY] = record
    return record


def new_id() -> str:
    """An id for a request that has none."""
    return f"req_{uuid4().hex}"


def record_of(request: HTTPConnection) -> RequestRecord:
    """The record of a request."""
    record: RequestRecord = request.scope[_KEY]
    return record


def route_of(scope: Scope) -> str:
    """The pattern of the route that answers, e.g. /v1/models/{name}."""
    return str(getattr(scope.get("route"), "path", "other"))
