"""What a worker may do in Redis: read its queue, and write results and audio."""

#: Separates the parts of a queue's name for priorities in the Redis transport of kombu.
_PRIORITY = "\x06\x16"


def worker_rules(name: str) -> tuple[str, ...]:
    """The rules of Redis for the user of the worker with this name. Measured with Celery 5.7 and Redis 7.0."""
    return (
        "resetkeys",
        "resetchannels",
        f"~w.{name}",
        f"~w.{name}{_PRIORITY}*",
        f"~unacked:{name}",
        f"~unacked_index:{name}",
        f"~unacked_mutex:{name}",
        "~_kombu.binding*",
        f"~{name}@*.celery.pidbox*",
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


def set_user(name: str, password: str) -> str:
    """The command for redis-cli that creates the user of a worker, with escapes as redis-cli reads them."""
    words = (f">{password}", *worker_rules(name))
    return f"ACL SETUSER {name} on " + " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    escaped = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in word)
    return f'"{escaped}"'
