"""The HTTP proxy of a connection, as HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say, and how messages name it.

Loopback addresses are connected directly, and NO_PROXY also accepts networks (10.0.0.0/8), as in curl.
"""

import ipaddress
import os
import re
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from voxmatrix.errors import UsageError

#: What urllib can connect to: the scheme and a login may be missing.
_HTTP_PROXY = re.compile(r"(https?://)?([^/@\s]*@)?([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?/?", re.ASCII | re.IGNORECASE)
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")


class _Proxies(urllib.request.ProxyHandler):
    def __init__(self) -> None:
        super().__init__({"http": "", "https": ""})

    def proxy_open(self, req: Any, proxy: str, type: str) -> Any:
        if req.has_proxy():
            return None
        found = _proxy_of(req.full_url)
        return super().proxy_open(req, found[1], type) if found else None


def opener(*handlers: type[urllib.request.BaseHandler]) -> urllib.request.OpenerDirector:
    """What opens URLs, through a proxy where one is set for them. It raises a UsageError for one that is not HTTP."""
    return urllib.request.build_opener(_Proxies, *handlers)


def with_proxy(url: str) -> str:
    """A URL as the message of a failed connection names it: with the proxy, without its login, and its variable."""
    found = _proxy_of(url)
    return f"{url} (through the proxy {_shown(found[1])} of {found[0]})" if found else url


def proxy_remedy(url: str, otherwise: str) -> str:
    """What to do about a failed connection: `otherwise`, unless there is a proxy, which may be what failed."""
    found = _proxy_of(url)
    host = urlsplit(url).hostname
    return f"check the proxy, or set NO_PROXY={host} to connect directly; else {otherwise}" if found else otherwise


def connect_loopback_directly() -> None:
    """Add this computer's addresses to `no_proxy`, for clients of other packages, which read that variable."""
    proxies = urllib.request.getproxies_environment()
    listed = [entry.strip() for entry in proxies.get("no", "").split(",") if entry.strip()]
    if proxies and listed != ["*"]:
        os.environ["no_proxy"] = ",".join(dict.fromkeys((*listed, *_LOOPBACK)))


def _proxy_of(url: str) -> tuple[str, str] | None:
    """The variable that sets a proxy for this URL, and the proxy; None: it is connected directly.

    Raises:
        UsageError: it is not an HTTP proxy.
    """
    parts, proxies = urlsplit(url), urllib.request.getproxies()
    scheme = next((name for name in (parts.scheme, "all") if proxies.get(name)), None)
    if scheme is None or _is_direct(parts.hostname or "", parts.netloc.rpartition("@")[2], proxies.get("no", "")):
        return None
    variable, proxy = _variable(scheme), proxies[scheme]
    if not _HTTP_PROXY.fullmatch(proxy):
        kind = "SOCKS proxies are not supported" if proxy.lower().startswith("socks") else "that is no HTTP proxy"
        raise UsageError(
            f"{variable} is {_shown(proxy)}: {kind}, and {parts.hostname} would be reached through it",
            f"set {'HTTPS' if parts.scheme == 'https' else 'HTTP'}_PROXY=http://HOST:PORT, "
            f"or NO_PROXY={parts.hostname} to connect directly",
        )
    return variable, proxy


def _is_direct(name: str, host: str, listed: str) -> bool:
    """Whether a host is this computer, or NO_PROXY has it. `host` may have a port, and brackets around an address."""
    if name == "localhost" or name.endswith(".localhost") or urllib.request.proxy_bypass(host):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or any(address in network for network in _networks(listed))


def _networks(listed: str) -> Iterator[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    for entry in listed.split(","):
        try:
            yield ipaddress.ip_network(entry.strip().strip("[]"), strict=False)
        except ValueError:
            continue  # a name


def _variable(scheme: str) -> str:
    """The variable that urllib has read: that in small letters, if there are several."""
    name = f"{scheme}_proxy"
    found = [variable for variable in os.environ if variable.lower() == name]
    return name if name in found else next(iter(found), "the settings of this system")


def _shown(proxy: str) -> str:
    """A proxy without its login."""
    scheme, separator, rest = proxy.rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
