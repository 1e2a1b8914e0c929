"""Networks on the chosen device: on its GPU until that fails, on the CPU from then on."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from voxmatrix.compute.memory import is_out_of_memory
from voxmatrix.errors import Finding, MemoryExhaustedError, NoDeviceError, VoxmatrixError
from voxmatrix.speak.device import CPU, FoundGpu, SpeakDevice, Warn

T = TypeVar("T")
R = TypeVar("R")
_REMEDY = "see why: voxmatrix doctor; or set --device cpu"


class WithCpuFallback(Generic[T]):
    """What computes, wherever it computes now. Any number of threads may ask; a GPU does one thing at a time."""

    def __init__(
        self, device: SpeakDevice, to_gpu: Callable[[FoundGpu], T], to_cpu: Callable[[], T], warn: Warn
    ) -> None:
        """Put it onto the device.

        Raises:
            NoDeviceError: the GPU was demanded and cannot be used.
            MemoryExhaustedError: it was demanded and has no memory left.
        """
        self.device = device
        self._to_cpu = to_cpu
        self._warn = warn
        self._lock = threading.Lock()
        placed = None if device.on is None else self._unless_it_fails(partial(to_gpu, device.on))
        self._held = placed if placed is not None else self._on_cpu()

    def do(self, work: Callable[[T], R]) -> R:
        """Let it do some work, which gives something.

        What fails on the GPU is done again on the CPU, whatever the reason: an error of the work itself then comes out
        there as it is.

        Raises:
            NoDeviceError: the GPU was demanded, and failed.
        """
        if self.device.on is not None:
            with self._lock:
                if self.device.on is not None:  # no thread before has left it
                    done = self._unless_it_fails(partial(work, self._held))
                    if done is not None:
                        return done
                    self._held = self._on_cpu()
        return work(self._held)

    def _unless_it_fails(self, work: Callable[[], R]) -> R | None:
        try:
            return work()
        except Exception as error:
            if self.device.demanded:
                raise _refusal(self.device, error) from error
            problem = f"{self.device} failed, and the CPU speaks in its place: {_reason(error)}"
            remedy = error.remedy if isinstance(error, VoxmatrixError) else _REMEDY
            self._warn(Finding(problem=problem, remedy=remedy, severity="warning"))
            return None

    def _on_cpu(self) -> T:
        held = self._to_cpu()
        self._held, self.device = held, CPU  # in this order: other threads look at the device first
        return held


def _refusal(device: SpeakDevice, error: Exception) -> VoxmatrixError:
    if isinstance(error, VoxmatrixError):
        return error
    if is_out_of_memory(error):
        return MemoryExhaustedError(
            f"{device} has no memory left for the voice: {_reason(error)}",
            "end what else uses the GPU (nvidia-smi lists it), or set --device cpu",
        )
    return NoDeviceError(f"{device} was asked for and fails: {_reason(error)}", _REMEDY)


def _reason(error: Exception) -> str:
    said = error.problem if isinstance(error, VoxmatrixError) else str(error)
    return next(iter(said.strip().splitlines()), type(error).__name__)
