"""A route whose errors, whatever they are, become answers in OpenAI's form."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect

from voxmatrix.serve.errors import api_error, explanation, is_server_problem, validation_error
from voxmatrix.serve.request_record import record_of
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError

#: nginx' status for a client that did not wait. Nobody receives it, but the log and the metrics show it.
_CLIENT_LEFT = 499


class Route(APIRoute):
    """Covers what happens before the first byte of an answer."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, which answers errors in the format of this API."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                return validation_error(error).response()
            except (ClientDisconnectedError, ClientDisconnect):  # while it was answered, or still sent its body
                record_of(request).ended_by = "client"
                return Response(status_code=_CLIENT_LEFT)
            except Exception as error:
                if is_server_problem(error):
                    record_of(request).problem = explanation(error)
                return api_error(error).response()

        return answer
