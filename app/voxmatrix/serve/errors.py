"""Errors as OpenAI's API reports them: {"error": {"message", "type", "param", "code"}}, for every status."""

import os
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from voxmatrix.config import home
from voxmatrix.database import LockedError
from voxmatrix.errors import (
    BadInputError,
    MemoryExhaustedError,
    NoDeviceError,
    SettingsFileError,
    UnreachableError,
    UsageError,
    VoxmatrixError,
)
from voxmatrix.wording import plain

_INVALID = "invalid_request_error"
_TYPES = {429: "requests"}
_CODES = {404: "not_found", 405: "method_not_allowed", 415: "unsupported_media_type"}
#: OpenAI's codes of pydantic's errors; any other is an invalid value.
_VALIDATION_CODES = {
    "missing": "missing_required_parameter",
    "string_too_long": "string_above_max_length",
    "string_too_short": "string_below_min_length",
    "greater_than_equal": "decimal_below_min_value",
    "less_than_equal": "decimal_above_max_value",
    "string_type": "invalid_type",
    "float_type": "invalid_type",
    "json_invalid": "invalid_json",
}
#: Fields with entries of any name, which errors name as well.
_MAPPINGS = ("knobs",)


class ErrorContent(BaseModel):
    """The `error` object of an answer, as OpenAI defines it."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel):
    """The body of every error."""

    error: ErrorContent


class ApiError(HTTPException):
    """A request that is answered with an error.

    Its base is the class that FastAPI passes on unchanged while it reads a body.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = without_home(plain(message))
        super().__init__(status, self.message, dict(headers or {}))
        self.param = param
        self.code = code

    @property
    def body(self) -> dict[str, Any]:
        """The object that clients read."""
        kind = "server_error" if self.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR else _INVALID
        kind = _TYPES.get(self.status_code, kind)
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}

    def response(self) -> JSONResponse:
        """The HTTP answer with this error."""
        return JSONResponse(self.body, self.status_code, self.headers)


def without_home(text: str) -> str:
    """A text in which the home has its name for its path: clients learn no paths of the server."""
    return text.replace(f"{home().absolute()}{os.sep}", f"VOXMATRIX_HOME{os.sep}")


def voice_exists(name: str, *, replaceable: bool = False) -> ApiError:
    """The answer to a request for a new voice whose name is taken; `replaceable`: it can ask to replace that one."""
    message = f"there is already a voice {name}; choose another name"
    if replaceable:
        message += ", or set replace to true"
    return ApiError(409, message, param="name", code="voice_exists")


def not_json() -> ApiError:
    """The answer to a body that is not declared as JSON, and is none or may be a page's of another site."""
    example = """curl -H "Content-Type: application/json" -d '{"input": "Hello."}'"""
    message = f"the body has to be JSON, sent with the header Content-Type: application/json; for example {example}"
    return ApiError(400, message, code="invalid_json")


def api_error(error: Exception) -> ApiError:
    """The answer to a request that ended with an error. Problems of the server are not explained to clients."""
    match error:
        case ApiError():
            return error
        case UsageError() | BadInputError() if not isinstance(error, SettingsFileError):
            return ApiError(400, error.problem, code="invalid_value")
        case NoDeviceError() | MemoryExhaustedError() | LockedError():
            what = "open a file, which another program has open" if isinstance(error, LockedError) else "compute"
            return ApiError(503, f"the server cannot {what} right now", code="unavailable")
        case UnreachableError() | OSError():
            message = "the server cannot store this: its disk is full, or may not be written"
            return ApiError(507, message, code="insufficient_storage")
        case HTTPException():
            not_utf8 = isinstance(error.__cause__, UnicodeDecodeError)  # raised by FastAPI, which has read a body
            message = "the body is not UTF-8, which JSON has to be" if not_utf8 else str(error.detail)
            return ApiError(error.status_code, message, code=_CODES.get(error.status_code), headers=error.headers)
        case _:
            invalid = isinstance(error, SettingsFileError)
            what = "a file of the server's settings is not valid" if invalid else "the server failed to answer"
            return ApiError(500, f"{what}; its log says why", code="internal_error")


def is_server_problem(error: Exception) -> bool:
    """Whether the log of the server should explain it."""
    return api_error(error).status_code >= HTTPStatus.INTERNAL_SERVER_ERROR


def explanation(error: BaseException) -> str:
    """What the log says about an error: its class and, for an error of our own, the problem and the remedy."""
    if isinstance(error, ApiError) and error.__cause__ is not None:
        return f"{error.message}: {explanation(error.__cause__)}"
    if isinstance(error, VoxmatrixError):
        return plain(f"{error.problem} → {error.remedy}" if error.remedy else error.problem)
    return f"{type(error).__name__}: {error}"


def validation_error(error: RequestValidationError) -> ApiError:
    """The first problem of a body. Nothing that was sent is repeated."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return ApiError(400, "the body is not valid JSON", code="invalid_json")
    if first["loc"][0] == "path":
        return ApiError(404, f"there is no such {first['loc'][-1]}", param=str(first["loc"][-1]), code="not_found")
    place = [str(part) for part in first["loc"] if part not in ("body", "query", "path")]
    if len(place) > 1 and isinstance(error.body, dict) and place[0] == error.body.get("kind"):
        del place[0]  # of a body that has several kinds, which pydantic names first
    if len(place) > 1 and place[0] in _MAPPINGS and place[-1] != "[key]":
        place[0] = ".".join(place[:2])
    param = place[0] if place else None
    code = _VALIDATION_CODES.get(first["type"], "invalid_value")
    return ApiError(400, f"{param or 'the body'}: {first['msg']}", param=param, code=code)


def add_error_handlers(app: FastAPI) -> None:
    """Answer what reaches no route in this form as well."""

    async def on_http(_request: Request, error: Exception) -> JSONResponse:
        return api_error(error).response()

    app.add_exception_handler(HTTPException, on_http)
