"""One core for a test and its children: on a busy machine, threads that wait for each other take minutes."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def one_core() -> Iterator[None]:
    """As `taskset` does it, and undone afterwards."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(before)[os.getpid() % len(before)]})
    yield
    os.sched_setaffinity(0, before)
