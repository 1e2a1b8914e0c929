"""Out of memory: how the libraries say so, how much was wanted, what can be given back; and what may be kept."""

import ctypes
import errno
import gc
import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_MIB = 1024 * 1024
#: glibc's names for what mallopt changes (malloc.h).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_MMAP_ABOVE_BYTES = 1 << 30
_TRIM_ABOVE_BYTES = (1 << 31) - 1
#: Classes that mean it whatever their text: torch.OutOfMemoryError was torch.cuda.OutOfMemoryError before torch 2.5.
_CLASS = "OutOfMemoryError"
#: What RuntimeErrors and onnxruntime's errors say when memory is what lacks. torch's text for CUDA, XPU, HIP and MPS;
#: its CPU allocator (Linux, Windows); oneDNN, which says no more; cuBLAS and cuDNN; torch-directml; onnxruntime's
#: arena, its C++ and DirectX 12.
_WORDS = re.compile(
    r"out of memory"
    r"|DefaultCPUAllocator: (?:can't allocate|not enough) memory"
    r"|could not create a (?:primitive|memory object)$"
    r"|CU(?:BLAS|DNN|FFT|SOLVER|SPARSE)_(?:STATUS_)?ALLOC_FAILED"
    r"|could not allocate tensor with|not enough GPU video memory"
    r"|failed to allocate memory|smaller than requested bytes|bad_?alloc|bad allocation"
    r"|8007000E",
    re.IGNORECASE,
)
_NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,20})?)"
#: torch, its CPU allocator and numpy; torch-directml; the two messages of onnxruntime's arena.
_WANTED = re.compile(
    rf"(?:tried|unable) to allocate {_NUMBER} ?(bytes|[KMGTP]i?B)"
    rf"|(?:allocate tensor with|requested bytes of|requested buffer of size) {_NUMBER}",
    re.IGNORECASE,
)
#: MPS writes GB for what the others call GiB: both are powers of two.
_UNITS: dict[str, float] = {"bytes": 1, **{letter: 1024**power for power, letter in enumerate("kmgtp", start=1)}}


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory, of a device or of the computer, is what this error is about."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if any(base.__name__ == _CLASS for base in type(error).__mro__):
        return True
    of_a_library = isinstance(error, RuntimeError) or type(error).__module__.startswith("onnxruntime")
    return of_a_library and _WORDS.search(str(error)) is not None


def missing_mib(error: BaseException) -> float | None:
    """How much was asked for in vain, in MiB; None when the error does not say."""
    found = _WANTED.search(str(error))
    if found is None:
        return None
    amount, unit, plain = found.groups()
    if plain is not None:
        return float(plain) / _MIB
    word = unit.lower()
    return float(amount) * _UNITS[word if word == "bytes" else word[0]] / _MIB


def free_cached(device: "torch.device | None") -> None:
    """Give back what nobody uses: Python's rings of objects, what the C library keeps, and what torch keeps on a GPU.

    Call it behind the `except` block, not in it: the error holds the frames it came through, and with them the tensors
    that filled the memory. None is a device without torch; DirectML keeps nothing that could be asked back.
    """
    gc.collect()
    _trim()
    if device is not None and device.type == "cuda":
        import torch

        with torch.cuda.device(device):
            torch.cuda.empty_cache()


def _trim() -> None:
    """Let glibc give the system what is free inside its heap; other C libraries have no such call, and need none."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def keep_freed_memory() -> bool:
    """Let glibc keep what a step freed for the next one, and say whether it does.

    Every step of a training on the CPU asks for the same large tensors again. glibc gives such blocks back to the
    system at once, and the next step pays for a hundred thousand page faults: a tenth of its time (medium, batch 4).
    The peak of memory stays what it was. Other C libraries have no such switch and are left alone.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _MMAP_ABOVE_BYTES) and mallopt(_TRIM_THRESHOLD, _TRIM_ABOVE_BYTES))
