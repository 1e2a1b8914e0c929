"""The hosts that a request may address, so that no other site's name leads to this server (DNS rebinding).

Also the requests that another site's page has a browser send. It can read nothing either, unless it is allowed.
"""

import ipaddress
from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

#: Names of this computer that no other computer can claim.
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    """Whether only programs on this computer can reach what listens on this host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class HostList:
    """Loopback, the host that the server listens on, and what was allowed.

    A server on all interfaces also accepts any IP address and any name without a dot, such as those that containers
    have for each other: rebinding needs a name in the DNS. Where a key is needed, rebinding gives nothing.
    """

    def __init__(self, host: str, allowed: Iterable[str], *, any_host: bool) -> None:
        self._names = frozenset(name.lower().strip("[]") for name in (*_LOOPBACK, host, *allowed))
        self._any_host = any_host
        self._any_address = host in ("0.0.0.0", "::", "")

    def allows(self, header: str) -> bool:
        """Whether a request with this Host header is meant for this server."""
        name = host_name(header)
        local = self._any_address and bool(name) and ("." not in name or _is_address(name))
        return self._any_host or name in self._names or local


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


_OWN = ("same-origin", "none")


def is_cross_site(hosts: Iterable[str], origin: str | None, fetch_site: str | None, allowed: Collection[str]) -> bool:
    """Whether a page of another site sends a request.

    Programs send neither header; browsers send Sec-Fetch-Site or, the older ones, at least Origin. `hosts` are those
    that the request names: no page can make a browser send another X-Forwarded-Host without asking first.
    """
    if origin is not None and ("*" in allowed or origin in allowed):
        return False
    if fetch_site is not None:
        return fetch_site not in _OWN
    return origin is not None and (urlsplit(origin).netloc or "null") not in hosts
