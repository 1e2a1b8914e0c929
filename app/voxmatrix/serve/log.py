"""One line on standard error per request, as text or as JSON. Neither what was to be spoken nor a key is in it."""

import json
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from voxmatrix.errors import Finding
from voxmatrix.wording import plain

_lock = threading.Lock()


class Log(Protocol):
    """Writes one line per request, as text or JSON."""

    def __call__(self, event: str, facts: Mapping[str, Any]) -> None:
        """`event` is what happened, in a word; facts that are None are left out."""
        ...


def log_finding(log: Log, finding: Finding) -> None:
    """A finding, in the words of a server."""
    log(finding.severity, {"problem": plain(finding.problem), "remedy": plain(finding.remedy) or None})


def json_log(event: str, facts: Mapping[str, Any]) -> None:
    """A JSON object per line."""
    _write(json.dumps({"time": _now(), "event": event, **_known(facts)}, ensure_ascii=False))


def text_log(event: str, facts: Mapping[str, Any]) -> None:
    """A line for people. Control characters, which a client could send to forge lines, are escaped."""
    shown = " ".join(f"{name}={value}" for name, value in _known(facts).items())
    line = f"{_now()} {event} {shown}"
    _write("".join(character if character.isprintable() else repr(character)[1:-1] for character in line))


def _known(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value is not None}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _write(line: str) -> None:
    with _lock:  # one line at a time
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
