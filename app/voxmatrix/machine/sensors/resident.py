"""Resident memory of this process and its children."""

from typing import Any

from voxmatrix.machine.ask_psutil import ask_psutil

_MIB = 1024 * 1024


def resident_mib() -> int | None:
    """The memory of this process, plus what its children do not share with it.

    The resident size of a forked child includes shared pages: each loading worker would count the dataset once more.
    """
    held = ask_psutil(_held_bytes)
    return None if held is None else held // _MIB


def _held_bytes(psutil: Any) -> int:
    process = psutil.Process()
    held: int = process.memory_info().rss
    for child in process.children(recursive=True):
        try:
            memory = child.memory_full_info()
        except psutil.Error:  # the child has exited
            continue
        held += getattr(memory, "uss", memory.rss)  # not every kernel reports shared memory
    return held
