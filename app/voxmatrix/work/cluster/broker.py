"""The broker of a cluster: its address, what a worker may do in Redis, and the Celery application.

Celery carries batches of units, JSON only, to the queue of one worker each.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from voxmatrix.errors import MissingProgramError, UsageError

#: Broker URLs of Redis, over which everything else can travel as well.
REDIS_SCHEMES = ("redis", "rediss", "redis+socket")
_PORT = 6379
#: What `ssl_cert_reqs` in a URL may be, and the parameters that name files.
_VERIFY = ("required", "optional", "none")
_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
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


def verified(url: str) -> str:
    """The URL with what makes every library that reads it verify the certificate of a `rediss://` server.

    Left to themselves, kombu does not verify it, Celery refuses the URL, and each knows other words for the same.

    Raises:
        UsageError: a parameter of the URL is wrong.
    """
    parts = urlsplit(url)
    if parts.scheme != "rediss":
        return url
    query = {"ssl_check_hostname": "true", "ssl_cert_reqs": "required", **dict(parse_qsl(parts.query))}
    query["ssl_cert_reqs"] = query["ssl_cert_reqs"].lower().removeprefix("cert_")
    if query["ssl_cert_reqs"] not in _VERIFY:
        raise UsageError(
            f"ssl_cert_reqs={query['ssl_cert_reqs']} in {without_password(url)} is not known",
            "leave it out: the certificate is verified; to trust your own CA, add ?ssl_ca_certs=FILE.pem",
        )
    for name in _FILES:
        if name in query and not Path(query[name]).is_file():
            raise UsageError(
                f"{name}={query[name]} in {without_password(url)} is no file", "give the path of a PEM file"
            )
    return parts._replace(query=urlencode(query)).geturl()


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
        shown = url if "@" not in url else "the URL of the cluster, which has a password,"
        signs = ", ".join(f"{sign} as {quote(sign, safe='')}" for sign in "#/?%")
        remedy = f"{_HINT}; in its password, write {signs}"
        raise UsageError(f"{shown} is not a valid URL", remedy if "@" in url else _HINT)
    verified(url)
    return url


#: Separates the parts of a queue's name for priorities in the Redis transport of kombu.
_PRIORITY = "\x06\x16"
_SHARED = (
    "~_kombu.binding*",
    "~*.reply.celery.pidbox*",
    "~celery-task-meta-*",
    "~voxmatrix:audio/*",
    "%R~voxmatrix:voices/*",
    "%R~voxmatrix:run:*",
    "&/0.celery.pidbox",
    "&/0.celeryev*",
    "&celery-task-meta-*",
    "+@all",
    "-@dangerous",
    "-@admin",
    "+info",
)


def set_user(user: str, password: str, workers: Sequence[str]) -> str:
    """The command for redis-cli that creates the user of these workers, with escapes as redis-cli reads them.

    The workers of one computer share a user, because they share the URL of the broker.
    """
    own = (rule for worker in workers for rule in _own_rules(worker))
    words = (f">{password}", "resetkeys", "resetchannels", *own, *_SHARED)
    return f"ACL SETUSER {user} on " + " ".join(_quoted(word) for word in words)


def _own_rules(worker: str) -> tuple[str, ...]:
    """For the keys that belong to one worker."""
    return (
        f"~w.{worker}",
        f"~w.{worker}{_PRIORITY}*",
        f"~unacked:{worker}",
        f"~unacked_index:{worker}",
        f"~unacked_mutex:{worker}",
        f"~{worker}@*.celery.pidbox*",
    )


def _quoted(word: str) -> str:
    escaped = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in word)
    return f'"{escaped}"'


#: The only task.
SPEAK = "voxmatrix.speak"
#: Results that nobody fetches are deleted after this time.
RESULT_SECONDS = 900
#: Tasks are sent to one worker, and sent again by the coordinator when it is gone: nothing may depend on Redis' own
#: recovery, which cannot tell a worker that is busy from one that is dead. So it is put off for a day.
_NO_RECOVERY_SECONDS = 86_400
#: A batch takes some seconds. This ends one that hangs when no coordinator is left to do so.
_HARD_LIMIT_SECONDS = 3600


def cluster_app(url: str, results: str = "", *, worker: str | None = None) -> Any:
    """The application of the cluster whose broker is at `url`; `worker` is the name of a worker that it will run.

    `results` is a result backend of Celery; by default the broker, which must then be Redis.

    Raises:
        MissingProgramError: Celery is not installed.
    """
    if find_spec("celery") is None:
        raise MissingProgramError("Celery is not installed, and a cluster needs it", 'pip install "voxmatrix[cluster]"')
    from celery import Celery

    backend = verified(results) or (verified(url) if is_redis(url) else "rpc://")
    app = Celery("voxmatrix", broker=verified(url), backend=backend, set_as_current=False)
    app.conf.update(_settings(worker))
    if worker is None:
        app.conf.update(broker_connection_timeout=3, redis_socket_connect_timeout=3, redis_socket_timeout=5)
    return app


def queue_of(worker: str) -> str:
    """The queue of a worker."""
    return f"w.{worker}"


def unacknowledged_keys(worker: str) -> dict[str, str]:
    """Where Redis keeps what a worker has received and not acknowledged: keys of its own for each worker."""
    return {
        "unacked_key": f"unacked:{worker}",
        "unacked_index_key": f"unacked_index:{worker}",
        "unacked_mutex_key": f"unacked_mutex:{worker}",
    }


def _settings(worker: str | None) -> dict[str, Any]:
    transport: dict[str, Any] = {
        "visibility_timeout": _NO_RECOVERY_SECONDS,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_keepalive": True,
        "socket_connect_timeout": 5,
        "health_check_interval": 25,
    }
    if worker is not None:
        transport |= unacknowledged_keys(worker)
    return {
        "task_serializer": "json",
        "result_serializer": "json",
        "event_serializer": "json",
        "accept_content": ["json"],
        "result_accept_content": ["json"],
        "worker_pool": "prefork",
        "worker_concurrency": 1,
        "worker_prefetch_multiplier": 1,
        "task_acks_late": True,
        "task_reject_on_worker_lost": False,  # what kills a process would do so again, without end
        "task_time_limit": _HARD_LIMIT_SECONDS,
        "task_store_errors_even_if_ignored": True,
        "visibility_timeout": _NO_RECOVERY_SECONDS,
        "broker_transport_options": transport,
        "result_backend_transport_options": {
            "visibility_timeout": _NO_RECOVERY_SECONDS,
            "retry_policy": {"max_retries": 3, "interval_start": 0, "interval_step": 0.5, "interval_max": 1},
        },
        "result_expires": RESULT_SECONDS,
        # True ends every worker when Redis goes away (measured with Celery 5.6).
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_send_task_events": True,
        "worker_enable_soft_shutdown_on_idle": False,
        "worker_disable_prefetch": False,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "worker_proc_alive_timeout": 60.0,  # a busy computer forks slowly
    }
