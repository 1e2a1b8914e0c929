"""Networks on a GPU, until it fails, and on the CPU from then on."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from voxmatrix.compute.memory import is_out_of_memory
from voxmatrix.errors import Finding, MemoryExhaustedError, NoDeviceError, VoxmatrixError
from voxmatrix.models.device import CPU, FoundGpu, SpeakDevice, Warn

T = TypeVar("T")
R = TypeVar("R")
_REMEDY = "run voxmatrix doctor to see why, or set `device=cpu`"


class WithCpuFallback(Generic[T]):
    """Networks on their current device. Thread-safe: a GPU runs one computation at a time."""

    def __init__(
        self, device: SpeakDevice, to_gpu: Callable[[FoundGpu], T], to_cpu: Callable[[], T], warn: Warn
    ) -> None:
        """Load the networks on the device.

        Raises:
            NoDeviceError: the GPU is required and cannot be used.
            MemoryExhaustedError: the GPU is required and out of memory.
        """
        self.device = device
        self._to_cpu = to_cpu
        self._warn = warn
        self._lock = threading.Lock()
        on_gpu = None if device.on is None else self._try(partial(to_gpu, device.on))
        self._networks = on_gpu if on_gpu is not None else self._move_to_cpu()

    @property
    def current(self) -> T:
        """The networks."""
        return self._networks

    def do(self, work: Callable[[T], R]) -> R:
        """Run some work and return its result.

        Work that fails on the GPU is repeated on the CPU, whatever the reason, so that errors of the work itself are
        raised unchanged from there.

        Raises:
            NoDeviceError: the GPU is required and failed.
        """
        if self.device.on is not None:
            with self._lock:
                if self.device.on is not None:  # no other thread has moved to the CPU meanwhile
                    result = self._try(partial(work, self._networks))
                    if result is not None:
                        return result
                    self._move_to_cpu()
        return work(self._networks)

    def _try(self, work: Callable[[], R]) -> R | None:
        try:
            return work()
        except Exception as error:
            if self.device.required:
                raise _device_error(self.device, error) from error
            problem = f"{self.device} failed, falling back to the CPU: {_reason(error)}"
            remedy = error.remedy if isinstance(error, VoxmatrixError) else _REMEDY
            self._warn(Finding(problem=problem, remedy=remedy, severity="warning"))
            return None

    def _move_to_cpu(self) -> T:
        networks = self._to_cpu()
        self._networks, self.device = networks, CPU  # in this order: other threads read the device first
        return networks


def _device_error(device: SpeakDevice, error: Exception) -> VoxmatrixError:
    if isinstance(error, VoxmatrixError):
        return error
    if is_out_of_memory(error):
        return MemoryExhaustedError(
            f"{device} has no memory left for the voice: {_reason(error)}",
            "stop other programs on the GPU (nvidia-smi lists them), or set `device=cpu`",
        )
    return NoDeviceError(f"{device} was requested and failed: {_reason(error)}", _REMEDY)


def _reason(error: Exception) -> str:
    text = error.problem if isinstance(error, VoxmatrixError) else str(error)
    return next(iter(text.strip().splitlines()), type(error).__name__)
