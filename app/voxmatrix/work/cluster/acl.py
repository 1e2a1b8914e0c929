"""What a worker may do in Redis: read its queue, write results and audio. Measured with Celery 5.6 and Redis 7.0."""

from collections.abc import Sequence

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
