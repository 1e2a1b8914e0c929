"""A route that reads JSON however it is declared, and whose errors, whatever they are, become answers in one form."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from voxmatrix.serve.errors import ApiError, api_error, explanation, is_server_problem, not_json, validation_error
from voxmatrix.serve.request_record import record_of
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError

#: nginx' status for a client that did not wait. Nobody receives it, but the log and the metrics show it.
_CLIENT_LEFT = 499
_JSON = "application/json"


class Route(APIRoute):
    """Covers what happens before the first byte of an answer."""

    def error_response(self, error: ApiError) -> Response:
        """The answer with this error, as the clients of this route read it."""
        return error.response()

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, which answers errors in the format of this API."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            declared = self.body_field is None or _is_json(request.headers)
            try:
                return await handle(request if declared else _with_json(request))
            except RequestValidationError as error:
                undeclared = not declared and error.errors()[0]["type"] == "json_invalid"
                return self.error_response(not_json() if undeclared else validation_error(error))
            except (ClientDisconnectedError, ClientDisconnect):  # while it was answered, or still sent its body
                record_of(request).ended_by = "client"
                return Response(status_code=_CLIENT_LEFT)
            except Exception as error:
                if is_server_problem(error):
                    record_of(request).problem = explanation(error)
                return self.error_response(api_error(error))

        return answer


def _is_json(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == _JSON or (kind.startswith("application/") and kind.endswith("+json"))


def _with_json(request: Request) -> Request:
    """The request, with its body declared as JSON, which programs leave out: `curl -d` declares a form.

    A page of another site can have a browser send a text or a form without asking first, and JSON in it. All browsers
    since 2020 say where that comes from, and are refused (`security.hosts`). Older ones may not, so JSON of a browser
    that does not say it has to be declared: pages have to ask before they send that. No page can hide the browser.

    Raises:
        ApiError: a browser sends it, which does not say from where.
    """
    headers = request.headers
    says_origin = "origin" in headers or "sec-fetch-site" in headers
    if not says_origin and headers.get("user-agent", "").lower().startswith("mozilla/"):
        raise not_json()
    raw = [(name, value) for name, value in request.scope["headers"] if name != b"content-type"]
    return Request({**request.scope, "headers": [*raw, (b"content-type", _JSON.encode())]}, request.receive)
