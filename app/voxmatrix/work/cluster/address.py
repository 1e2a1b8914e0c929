"""The address of a cluster: the URL of its broker, and what is left of it for messages."""

from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from voxmatrix.errors import UsageError

#: Broker URLs of Redis, over which everything else can travel as well.
REDIS_SCHEMES = ("redis", "rediss", "redis+socket")
_PORT = 6379
_HINT = "add `cluster=redis://HOST:6379/0`, with the address of the coordinator"


def broker_url(given: str, environment: Mapping[str, str]) -> str:
    """The URL that was given or, in this order, that of REDIS_URL or COORDINATOR_IP.

    A bare host is one with Redis, whose password, if it has one, is REDIS_PASSWORD.

    Raises:
        UsageError: nothing was given, or it is not a URL.
    """
    named = given or environment.get("REDIS_URL", "") or environment.get("COORDINATOR_IP", "")
    if not named.strip():
        raise UsageError("no cluster was given", _HINT)
    return _checked(named.strip() if "://" in named else _of_host(named.strip(), environment.get("REDIS_PASSWORD", "")))


def without_password(url: str) -> str:
    """The URL as messages show it."""
    parts = urlsplit(url)
    credentials, at, host = parts.netloc.rpartition("@")
    if not at:
        return url
    user = credentials.partition(":")[0]
    return parts._replace(netloc=f"{user}:**@{host}").geturl()


def is_redis(url: str) -> bool:
    """Whether the broker is a Redis server."""
    return urlsplit(url).scheme in REDIS_SCHEMES


def _of_host(host: str, password: str) -> str:
    has_port = host.rpartition(":")[2].isdecimal() and not host.endswith("]")
    credentials = f":{quote(password, safe='')}@" if password else ""
    return f"redis://{credentials}{host if has_port else f'{host}:{_PORT}'}/0"


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        valid = bool(parts.scheme and (parts.hostname or parts.path)) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(f"{without_password(url) if '@' not in url else 'the cluster'} is not a valid URL", _HINT)
    return url
