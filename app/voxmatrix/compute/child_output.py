"""What a child of `compute.child` does alike: it says JSON lines, and breaks where a test asks for it."""

import json
import os
import sys
import time
from typing import Any, NoReturn


def print_json(line: dict[str, Any]) -> None:
    """One object on one line of standard output, at once: the child may not live to say more."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def asked_break(variable: str) -> tuple[str, str]:
    """What the hook of tests in this variable names, and how that breaks: `matmul=hang` → (matmul, hang)."""
    broken, _, how = os.environ.get(variable, "").partition("=")
    return broken, how


def break_down(how: str, variable: str) -> NoReturn:
    """Hang, die, be short of memory, or fail in whatever other way."""
    if how == "hang":
        while True:
            time.sleep(3600)
    if how == "die":
        os.abort()
    if how == "memory":
        raise MemoryError(f"broken by {variable}")
    raise RuntimeError(f"broken by {variable}")
