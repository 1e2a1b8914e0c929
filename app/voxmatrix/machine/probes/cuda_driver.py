"""Whether CUDA starts on a GPU, asked of the driver itself: torch puts its answer into a sentence of its own."""

import ctypes
import sys

#: Of CUresult.
_NO_DEVICE = 100


def read_error(index: int) -> str | None:
    """Why CUDA does not start on its GPU of this index, e.g. "cuda 802"; None if it does, or has fewer GPUs.

    It stays started in this process: a fork of it cannot use CUDA.
    """
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return "cuda missing"
    code = _start(driver, index)
    return f"cuda {code}" if code else None


def _start(driver: ctypes.CDLL, index: int) -> int:
    count, device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
    if code := driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return int(code)
    if index >= count.value:
        return 0 if count.value else _NO_DEVICE
    if code := driver.cuDeviceGet(ctypes.byref(device), index):
        return int(code)
    # In exclusive mode, and after an ECC error, only a context fails. It is kept: torch uses the same one.
    return int(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
