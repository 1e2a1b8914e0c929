"""What every request passes, in this order: a record is begun, then host, origin, key and size are checked."""

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
from voxmatrix.serve.security import body, keys
from voxmatrix.serve.security.hosts import HostList, is_cross_site
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError

#: Answered without a key: they say nothing about what is spoken.
_OPEN = ("/healthz", "/readyz")
#: Takes files; all other bodies are small.
UPLOADS = "/v1/files"
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


class RequestMiddleware:
    """The outermost part of the server."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, log: Log, metrics: ServerMetrics) -> None:
        self._app = app
        self._settings = settings
        self._hosts = HostList(settings.host, settings.allowed_hosts)
        self._log = log
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. One that fails in the middle is left incomplete, and uvicorn closes its connection."""
        record = new_request_record(scope)
        noted = _recording_send(send, record)
        if scope["type"] == "http":
            receive = body.limited(receive, self._most_bytes(scope), file=_is_upload(scope))
            if scope["method"] == "HEAD":  # uvicorn sends no body then
                scope = {**scope, "method": "GET"}
        try:
            self._check(scope)
            await self._app(scope, receive, noted)
        except ClientDisconnectedError:
            record.ended_by = "client"
        except Exception as error:
            await self._failed(error, record, scope, receive, noted)
        finally:
            client = scope.get("client")
            record.note(client[0] if client else None, route_of(scope), self._log, self._metrics)

    def _check(self, scope: Scope) -> None:
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
        if is_cross_site(scope.get("method"), host, headers.get("origin"), headers.get("sec-fetch-site")):
            self._metrics.rejected.labels("origin").inc()
            raise ApiError(403, "pages of other sites may not use this server", code="cross_site")
        if self._settings.key_digests and scope["path"] not in _OPEN and not belongs_to_page(scope["path"]):
            self._check_key(headers.get("authorization", ""))
        if body.declared_bytes(scope) > self._most_bytes(scope):
            self._metrics.rejected.labels("size").inc()
            raise body.too_large(self._most_bytes(scope))

    def _most_bytes(self, scope: Scope) -> int:
        if _is_upload(scope):
            return self._settings.max_upload_bytes
        return body_limit(scope.get("method", ""), scope["path"]) or self._settings.max_body_bytes

    def _check_key(self, authorization: str) -> None:
        scheme, _, key = authorization.partition(" ")
        if scheme.lower() != "bearer" or not key:
            self._metrics.rejected.labels("key").inc()
            message = "a key is needed: send it as Authorization: Bearer KEY"
            raise ApiError(401, message, code="missing_api_key", headers=_CHALLENGE)
        if not keys.is_known(key.strip(), self._settings.key_digests):
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


def _is_upload(scope: Scope) -> bool:
    return bool(scope.get("method") == "POST" and scope["path"] == UPLOADS)


def _recording_send(send: Send, record: RequestRecord) -> Send:
    """`send`, which notes the answer in the record and adds the id of the request to it."""

    async def noting(message: Message) -> None:
        kind = message["type"].removeprefix("websocket.")
        if kind == "http.response.start":
            record.status = message["status"]
            extra = ((b"x-request-id", record.id.encode()), (b"x-content-type-options", b"nosniff"))
            message = {**message, "headers": [*message["headers"], *extra]}
        elif kind == "accept":
            record.status = HTTPStatus.SWITCHING_PROTOCOLS
        elif record.first_byte_seconds is None and (message.get("body") or message.get("bytes")):
            record.first_byte_seconds = time.monotonic() - record.started
        await send(message)

    return noting
