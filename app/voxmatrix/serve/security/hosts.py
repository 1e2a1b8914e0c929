"""The hosts that a request may address, so that no other site's name leads to this server (DNS rebinding).

Also the requests that another site's page has a browser send: it can neither post nor load anything, unless it is
allowed.
"""

import ipaddress
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, kw_only=True)
class Sender:
    """What a request says about the page that sends it. Programs say nothing of it."""

    hosts: frozenset[str]  # that the request names
    origin: str | None
    fetch_site: str | None
    referer_origin: str | None
    is_navigation: bool  # of a whole tab

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> "Sender":
        """The sender, by the headers of a request."""
        names = (headers.get("host", ""), *headers.get("x-forwarded-host", "").replace(",", " ").split())
        referer = urlsplit(headers.get("referer", ""))
        return cls(
            hosts=frozenset(names),
            origin=headers.get("origin"),
            fetch_site=headers.get("sec-fetch-site"),
            referer_origin=f"{referer.scheme}://{referer.netloc}" if referer.netloc else None,
            is_navigation=(headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document"),
        )

    def is_allowed(self, allowed: Collection[str]) -> bool:
        """Whether its site is one of these. Media elements send no Origin, but a Referer, which no page can forge."""
        return "*" in allowed or (self.origin or self.referer_origin) in allowed

    def is_cross_site(self) -> bool:
        """Whether a page of another site, or of another port, sends a request.

        Browsers send Sec-Fetch-Site or, the older ones, at least Origin where something is posted. No page can make a
        browser send another X-Forwarded-Host without asking first.
        """
        if self.fetch_site is not None:
            return self.fetch_site not in _OWN
        return self.origin is not None and (urlsplit(self.origin).netloc or "null") not in self.hosts

    def reads_cross_site(self) -> bool:
        """Whether a page of another site has something loaded or shown in it: sound, a picture, a frame."""
        return self.fetch_site == "cross-site"
