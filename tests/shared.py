"""What takes long to make is made once, and not once in each process that runs tests."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def once(factory: pytest.TempPathFactory, key: str, make: Callable[[Path], object]) -> Path:
    """The folder in which `make` has written what the key names, in this process or in another one of this run.

    No test may change it. What was not made to the end is made again.
    """
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared" / key
    folder.mkdir(parents=True, exist_ok=True)
    complete = folder.with_name(f"{key}.complete")
    with folder.with_name(f"{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            make(folder)
            complete.touch()
    return folder
