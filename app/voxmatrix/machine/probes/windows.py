"""What only Windows' own functions say."""

import ctypes
import sys


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of GlobalMemoryStatusEx."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("rest", ctypes.c_uint64 * 5),
    )


def memory_bytes() -> tuple[int | None, int | None]:
    """Memory of the computer and what of it is free."""
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    if sys.platform == "win32" and ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return status.total, status.available
    return None, None
