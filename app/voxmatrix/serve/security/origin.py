"""Requests that another site's page has a browser send. There is no CORS: such a page can read nothing either."""

from urllib.parse import urlsplit

_READING = ("GET", "HEAD", "OPTIONS")
_OWN = ("same-origin", "none")


def is_foreign(method: str | None, host: str, origin: str | None, fetch_site: str | None) -> bool:
    """Whether a page of another site sends a request that changes or computes something, or opens a WebSocket.

    A WebSocket has no method. Browsers let every page open one anywhere, and read what comes.
    Programs send neither header; browsers send Sec-Fetch-Site or, the older ones, at least Origin.
    """
    if method in _READING:
        return False
    if fetch_site is not None:
        return fetch_site not in _OWN
    return origin is not None and urlsplit(origin).netloc != host
