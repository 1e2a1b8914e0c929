"""Bodies are limited as they arrive: neither a wrong Content-Length nor an endless body is read to its end."""

import asyncio

from starlette.types import Message, Receive, Scope

from voxmatrix.serve.errors import ApiError

#: A body has to arrive within this time.
BODY_TIMEOUT_SECONDS = 30.0
#: What remains unread would be taken for the next request.
_CLOSE = {"Connection": "close"}


def too_large(most: int) -> ApiError:
    """The answer to a body of more than `most` bytes."""
    return ApiError(413, f"the body is longer than {most:,} bytes", code="request_too_large", headers=_CLOSE)


def declared_bytes(scope: Scope) -> int:
    """The Content-Length of a request; 0 if it has none, or it is not a number."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


def limited(receive: Receive, most: int, *, file: bool = False) -> Receive:
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
            raise too_large(most)
        return message

    return next_part
