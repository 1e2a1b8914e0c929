"""Out-of-memory errors of the libraries, and releasing or keeping freed memory."""

import ctypes
import errno
import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.files import read_text_or_empty

if TYPE_CHECKING:
    import torch

_MIB = 1024 * 1024
#: Parameters of glibc's mallopt (malloc.h).
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_MMAP_ABOVE_BYTES = 1 << 30
_TRIM_ABOVE_BYTES = (1 << 31) - 1
#: The class name is sufficient; torch.OutOfMemoryError was torch.cuda.OutOfMemoryError before torch 2.5.
_CLASS = "OutOfMemoryError"
#: Messages of RuntimeErrors and onnxruntime errors, in this order: torch for CUDA, XPU, HIP and MPS; its CPU allocator
#: (Linux, Windows); oneDNN, which gives no details; cuBLAS, cuDNN and others; torch-directml; onnxruntime's arena, its
#: C++ code and DirectX 12.
_MESSAGES = re.compile(
    r"out of memory"
    r"|DefaultCPUAllocator: (?:can't allocate|not enough) memory"
    r"|could not create a (?:primitive|memory object)$"
    r"|CU(?:BLAS|DNN|FFT|SOLVER|SPARSE)_(?:STATUS_)?ALLOC_FAILED|DEVICE_ALLOCATION_FAILED"
    r"|could not allocate tensor with|not enough GPU video memory"
    r"|failed to allocate memory|smaller than requested bytes|bad_?alloc|bad allocation"
    r"|8007000E",
    re.IGNORECASE,
)
#: Messages of libraries that found no memory for a handle or a workspace, or that failed for another reason: cuBLAS,
#: cuFFT, and torch's search for an engine of cuDNN (pytorch #108645).
_AMBIGUOUS = re.compile(
    r"CU(?:BLAS|DNN)_STATUS_NOT_INITIALIZED|CUFFT_INTERNAL_ERROR|CUDNN_STATUS_INTERNAL_ERROR"
    r"|unable to find an engine to execute this computation"
)
#: With less free memory than this on a GPU, they mean that it is out of memory: workspaces of cuDNN are as large.
_LITTLE_BYTES = 1 << 30
_NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,20})?)"
#: torch, its CPU allocator and numpy; torch-directml; two messages of onnxruntime's arena.
_REQUESTED = re.compile(
    rf"(?:tried|unable) to allocate {_NUMBER} ?(bytes|[KMGTP]i?B)"
    rf"|(?:allocate tensor with|requested bytes of|requested buffer of size) {_NUMBER}",
    re.IGNORECASE,
)
#: MPS writes GB where the others write GiB; all are powers of two.
_UNITS: dict[str, float] = {"bytes": 1, **{letter: 1024**power for power, letter in enumerate("kmgtp", start=1)}}


def is_out_of_memory(error: BaseException) -> bool:
    """Whether this error means that a device or the computer is out of memory."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if any(base.__name__ == _CLASS for base in type(error).__mro__):
        return True
    from_library = isinstance(error, RuntimeError) or type(error).__module__.startswith("onnxruntime")
    if not from_library:
        return False
    text = str(error)
    return _MESSAGES.search(text) is not None or (_AMBIGUOUS.search(text) is not None and _is_gpu_full())


def _is_gpu_full() -> bool:
    """Whether a GPU that torch uses in this process has little free memory."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return False
    return any(cuda.mem_get_info(index)[0] < _LITTLE_BYTES for index in range(cuda.device_count()))


def missing_mib(error: BaseException) -> float | None:
    """The size of the failed allocation, in MiB; None if the error does not include it."""
    found = _REQUESTED.search(str(error))
    if found is None:
        return None
    amount, unit, plain = found.groups()
    if plain is not None:
        return float(plain) / _MIB
    word = unit.lower()
    return float(amount) * _UNITS[word if word == "bytes" else word[0]] / _MIB


def request_of(error: BaseException) -> str:
    """The size of the failed allocation in the words of a message; empty if the error does not include it."""
    missing = missing_mib(error)
    return "" if missing is None else f" (another {missing:.0f} MiB were requested)"


@contextmanager
def memory_errors(explain: Callable[[Exception], MemoryExhaustedError]) -> Iterator[None]:
    """Raise what `explain` makes of an out-of-memory error of the libraries; others are raised unchanged."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise explain(error) from error


def free_cached(device: "torch.device | None") -> None:
    """Release unused memory: Python's reference cycles, the heap of the C library, and torch's cache on a GPU.

    Call it after the `except` block, not inside: the exception references its frames, and with them the tensors that
    filled the memory. None is a device without torch; DirectML has no cache that can be released.
    """
    from voxmatrix.compute.device import backend

    gc.collect()
    _trim()
    if device is not None and (module := backend(device)) is not None:
        with module.device(device):
            module.empty_cache()


def _trim() -> None:
    """Make glibc return free heap memory to the system; other C libraries neither have nor need such a call."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def keep_freed_memory() -> bool:
    """Make glibc keep the memory that a step frees for the next step; return whether it does.

    Every training step on the CPU allocates the same large tensors. By default glibc returns such blocks to the system
    at once, which costs the next step about 100 000 page faults: a tenth of its time (medium, batch 4). Peak memory is
    unchanged. Other C libraries have no such setting.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _MMAP_ABOVE_BYTES) and mallopt(_TRIM_THRESHOLD, _TRIM_ABOVE_BYTES))


def limit_heaps(cpus: int) -> None:
    """Let threads share their heaps, one for each of these CPUs, and at least two; call it before threads start.

    glibc makes up to eight for each CPU of the computer. What is freed in one of them does not serve another thread,
    so that a server with many threads holds several times what it uses. Other C libraries have no such setting.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, max(2, cpus))


def peak_mib(device: "torch.device") -> float | None:
    """The peak of torch's reserved memory on a GPU, of the process on the CPU; None if unknown (DirectML)."""
    from voxmatrix.compute.device import backend

    module = backend(device)
    if module is not None:
        return float(module.max_memory_reserved(device) / _MIB)
    return peak_resident_mib() if device.type == "cpu" else None


def peak_resident_mib(status: Path = Path("/proc/self/status")) -> float | None:
    """The peak resident memory of this process; None if the system does not provide it."""
    # Not ru_maxrss on Linux: a child inherits its parent's peak.
    found = re.search(r"^VmHWM:\s+(\d+) kB$", read_text_or_empty(status), re.MULTILINE)
    if found:
        return int(found[1]) / 1024
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (_MIB if sys.platform == "darwin" else 1024)
