"""What every request passes, in this order: a record is begun, then host, origin, key and size are checked.

Bodies are counted as they arrive: neither a wrong Content-Length nor an endless body is read to its end.
"""

import asyncio
import math
import re
import time
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voxmatrix.serve.errors import ApiError, api_error, explanation, is_server_problem
from voxmatrix.serve.log import Log
from voxmatrix.serve.metrics import ServerMetrics
from voxmatrix.serve.page.routes import belongs_to_page
from voxmatrix.serve.recordings.store import body_limit
from voxmatrix.serve.request_record import RequestRecord, new_request_record, route_of
from voxmatrix.serve.security import keys
from voxmatrix.serve.security.hosts import HostList, Sender
from voxmatrix.serve.security.key_attempts import DELAY_SECONDS, MAX_WAIT_SECONDS, KeyAttempts
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.serve.speech.reference import MAX_CHARACTERS
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError

#: Answered without a key: they say nothing about what is spoken.
_OPEN = ("/health", "/healthz", "/readyz")
#: Also answered without a key where the settings say so: some clients send none when they ask for voices.
_LISTS = ("/v1/audio/models", "/v1/audio/voices", "/v1/models")
#: Speaks also when asked with GET.
SYNTHESIZE = "/synthesize"
#: A recording to imitate may come with a text.
_WITH_REFERENCE = ("/v1/audio/speech", "/dev/captioned_speech", "/tts")
#: Takes files; all other bodies are small.
UPLOADS = "/v1/files"
#: Of Azure's clients, and ElevenLabs'.
_KEY_HEADERS = ("x-api-key", "api-key", "xi-api-key")
_CHALLENGE = {"WWW-Authenticate": "Bearer"}
#: A body has to arrive within this time.
BODY_TIMEOUT_SECONDS = 30.0
#: What remains unread would be taken for the next request.
_CLOSE = {"Connection": "close"}


class RequestMiddleware:
    """The outermost part of the server."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, log: Log, metrics: ServerMetrics) -> None:
        self._app = app
        self._settings = settings
        self._hosts = HostList(settings.host, settings.allowed_hosts, any_host=bool(settings.key_digests))
        self._attempts = KeyAttempts()
        self._open = (*_OPEN, *(_LISTS if settings.open_lists else ()))
        self._log = log
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. One that fails in the middle is left incomplete, and uvicorn closes its connection."""
        scope = {**scope, "path": _routed_path(scope, self._settings.root_path)}
        record = new_request_record(scope)
        allowed = Sender.of(Headers(scope=scope)).is_allowed(self._settings.allowed_origins)
        noted = _recording_send(send, record, b"cross-origin" if allowed else b"same-origin")
        if scope["type"] == "http":
            receive = _limited(receive, self._most_bytes(scope), file=_is_upload(scope))
            if scope["method"] == "HEAD":  # uvicorn sends no body then
                scope = {**scope, "method": "GET"}
        try:
            await self._check(scope)
            await self._app(scope, receive, noted)
        except ClientDisconnectedError:
            record.ended_by = "client"
        except Exception as error:
            await self._failed(error, record, scope, receive, noted)
        finally:
            client = scope.get("client")
            record.note(client[0] if client else None, route_of(scope), self._log, self._metrics)

    async def _check(self, scope: Scope) -> None:
        """Refuse what is not to be answered.

        Raises:
            ApiError: the answer.
        """
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._hosts.allows(host):
            self._metrics.rejected.labels("host").inc()
            message = "this server does not answer for that host; voxmatrix serve --allow-host NAME adds one"
            raise ApiError(403, message, code="host_not_allowed")
        sender = Sender.of(headers)
        if _is_foreign(scope, sender) and not sender.is_allowed(self._settings.allowed_origins):
            self._metrics.rejected.labels("origin").inc()
            message = "pages of other sites may not use this server; voxmatrix serve --allow-origin ORIGIN adds one"
            raise ApiError(403, message, code="cross_site")
        if self._settings.key_digests and not self._is_open(scope):
            await self._check_key(headers, (scope.get("client") or ("",))[0])
        if _declared_bytes(scope) > self._most_bytes(scope):
            self._metrics.rejected.labels("size").inc()
            raise _too_large(self._most_bytes(scope))

    def _is_open(self, scope: Scope) -> bool:
        return scope["path"] in self._open or (belongs_to_page(scope["path"]) and _only_reads(scope))

    def _most_bytes(self, scope: Scope) -> int:
        if _is_upload(scope):
            return self._settings.max_upload_bytes
        if scope.get("method") == "POST" and scope["path"] in _WITH_REFERENCE:
            return self._settings.max_body_bytes + MAX_CHARACTERS
        return body_limit(scope.get("method", ""), scope["path"]) or self._settings.max_body_bytes

    async def _check_key(self, headers: Headers, address: str) -> None:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            key = next((headers[name] for name in _KEY_HEADERS if headers.get(name)), "")
        if not key:
            self._metrics.rejected.labels("key").inc()
            message = "a key is needed: send it as Authorization: Bearer KEY, or as X-API-Key"
            raise ApiError(401, message, code="missing_api_key", headers=_CHALLENGE)
        digest = keys.digest_of(key.strip())
        wait_seconds = self._attempts.wait_seconds(address, digest, time.monotonic())
        if wait_seconds > MAX_WAIT_SECONDS:
            self._metrics.rejected.labels("key").inc()
            retry = {"Retry-After": str(math.ceil(wait_seconds - MAX_WAIT_SECONDS + DELAY_SECONDS))}
            message = "too many wrong keys came from this address: try again later"
            raise ApiError(429, message, code="too_many_keys", headers=retry)
        if wait_seconds:  # else all that arrive at the same time would be checked before the first is noted
            await asyncio.sleep(wait_seconds)
        right = keys.is_known(key.strip(), self._settings.key_digests)
        self._attempts.note(address, digest, time.monotonic(), right=right)
        if not right:
            self._metrics.rejected.labels("key").inc()
            raise ApiError(401, "the key is not valid", code="invalid_api_key", headers=_CHALLENGE)

    async def _failed(
        self, error: Exception, record: RequestRecord, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if is_server_problem(error):
            record.problem = explanation(error)
        if record.status:
            record.ended_by = "failure"
        else:
            await api_error(error).response()(scope, receive, send)


def _routed_path(scope: Scope, root_path: str) -> str:
    """The path that is meant: without the prefix of a proxy, and as clients with another base URL mean it."""
    path = re.sub("/{2,}", "/", scope["path"])
    if f"{path}/".startswith(f"{root_path}/"):
        path = path[len(root_path) :]
    path = re.sub("^(/v1)+(?=/v1/)", "", path.rstrip("/")) or "/"
    if path == "/" and re.search(rb"(^|&)text=", scope["query_string"]):
        return SYNTHESIZE  # as Piper's clients before 2026 ask
    return f"/v1{path}" if re.match("/(audio|models)(/|$)", path) else path


def _only_reads(scope: Scope) -> bool:
    """Whether a request changes and computes nothing. Browsers let every page open a WebSocket, and read what comes."""
    return scope.get("method") in ("GET", "HEAD", "OPTIONS") and scope["path"] != SYNTHESIZE


def _is_foreign(scope: Scope, sender: Sender) -> bool:
    """Whether a page of another site sends a request that only programs and our own page may send.

    It may lead to our page, whose files load nothing but what is ours. Pages of other ports of this computer may read.
    """
    if not _only_reads(scope):
        return sender.is_cross_site()
    return sender.reads_cross_site() and not (sender.is_navigation and belongs_to_page(scope["path"]))


def _is_upload(scope: Scope) -> bool:
    return bool(scope.get("method") == "POST" and scope["path"] == UPLOADS)


def _recording_send(send: Send, record: RequestRecord, resource_policy: bytes) -> Send:
    """`send`, which notes the answer in the record and adds the id of the request and what browsers must know to it."""

    async def noting(message: Message) -> None:
        kind = message["type"].removeprefix("websocket.")
        if kind == "http.response.start":
            record.status = message["status"]
            extra = (
                (b"x-request-id", record.id.encode()),
                (b"x-content-type-options", b"nosniff"),
                (b"cross-origin-resource-policy", resource_policy),
            )
            message = {**message, "headers": [*message["headers"], *extra]}
        elif kind == "accept":
            record.status = HTTPStatus.SWITCHING_PROTOCOLS
        elif record.first_byte_seconds is None and (message.get("body") or message.get("bytes")):
            record.first_byte_seconds = time.monotonic() - record.started
        await send(message)

    return noting


def _too_large(most: int) -> ApiError:
    """The answer to a body of more than `most` bytes."""
    return ApiError(413, f"the body is longer than {most:,} bytes", code="request_too_large", headers=_CLOSE)


def _declared_bytes(scope: Scope) -> int:
    """The Content-Length of a request; 0 if it has none, or it is not a number."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


def _limited(receive: Receive, most: int, *, file: bool = False) -> Receive:
    """`receive`, which raises an ApiError when the body is too long, or takes too long to arrive.

    A file may take longer, as long as parts of it arrive.
    """
    left = most
    complete = False
    until = asyncio.get_running_loop().time() + BODY_TIMEOUT_SECONDS

    async def next_part() -> Message:
        nonlocal left, complete, until
        if complete:
            return await receive()
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError as error:
            raise ApiError(408, "the body did not arrive in time", code="timeout", headers=_CLOSE) from error
        if file:
            until = asyncio.get_running_loop().time() + BODY_TIMEOUT_SECONDS
        left -= len(message.get("body", b""))
        complete = not message.get("more_body", False)
        if left < 0:
            raise _too_large(most)
        return message

    return next_part
