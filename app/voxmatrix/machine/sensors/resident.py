"""Memory that this process and its children hold."""

from typing import Any

from voxmatrix.machine.ask_psutil import ask_psutil

_MIB = 1024 * 1024


def resident_mib() -> int | None:
    """All of this process, and of its children what they do not share with it.

    A forked child shows every page that it shares: added up, loading workers would count the dataset once each.
    """
    held = ask_psutil(_held_bytes)
    return None if held is None else held // _MIB


def _held_bytes(psutil: Any) -> int:
    process = psutil.Process()
    held: int = process.memory_info().rss
    for child in process.children(recursive=True):
        try:
            memory = child.memory_full_info()
        except psutil.Error:  # it has ended since
            continue
        held += getattr(memory, "uss", memory.rss)  # not every kernel knows what is shared
    return held
