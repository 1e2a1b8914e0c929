"""How long the bodies of these routes may be: recordings are longer than anything else that a client sends."""

import re

#: A minute at 48 kHz, in 32 bits and two channels, and the header.
MAX_SECONDS = 60.0
TAKE_BYTES = 60 * 48_000 * 4 * 2 + 64 * 1024
LIST_BYTES = 2 * 2**20

_TAKE = re.compile(r"/v1/recordings/[^/]+/[^/]+/\d{1,5}")


def body_limit(method: str, path: str) -> int | None:
    """The most bytes that a body may have; None for the usual limit."""
    if method == "PUT" and _TAKE.fullmatch(path):
        return TAKE_BYTES
    return LIST_BYTES if method == "POST" and path == "/v1/recordings" else None
