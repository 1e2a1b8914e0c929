"""The memory that open voices take, measured: whatever was estimated, this is what the computer runs out of."""

import os
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from voxmatrix.compute.memory import free_cached
from voxmatrix.machine.probes.probe import ask_psutil
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import SpeakDevice
from voxmatrix.models.family import OpenVoice

_MIB = 2**20
#: An open voice and the device that computes it.
Opened = tuple[OpenVoice, SpeakDevice]
#: As `resident_mib_with`.
Resident = Callable[[Collection[int]], tuple[float, float] | None]


def resident_mib_with(processes: Collection[int]) -> tuple[float, float] | None:
    """The resident memory in MiB of this process, and of the processes with these IDs; None if the system hides it."""
    return ask_psutil(lambda psutil: (_held(psutil, os.getpid()), sum(_held(psutil, pid) for pid in processes)))


class VoiceMemory:
    """Measures what open voices take. Thread-safe.

    In this process, it is what was not there before the first voice, without the libraries: those that the first voice
    of a kind loads stay when it is closed. On a GPU it is what their cards say: the resident memory has no part of it.
    """

    def __init__(self, resident: Resident = resident_mib_with) -> None:
        self._resident = resident
        self._lock = threading.Lock()
        self._fixed_mib = self._own_mib()

    def used_mib(self, voices: Collection[Opened]) -> float:
        """What these voices, which are all that are open, take together."""
        on_gpu = sum(voice.card.memory_mib for voice, device in voices if device.on is not None)
        found = self._resident({one for voice, _ in voices for one in voice.processes})
        if found is None:
            return sum(voice.card.memory_mib for voice, _ in voices)
        own, others = found
        return max(0.0, own - self._fixed_mib) + others + on_gpu

    @contextmanager
    def loading_libraries(self, card: VoiceCard, device: SpeakDevice) -> Iterator[None]:
        """Load the first voice of a kind: what it adds to this process beyond its estimate are libraries."""
        before = self._own_mib()
        yield
        free_cached(None)  # a model that was prepared for the first time has left more than it takes
        voice_mib = card.memory_mib if device.on is None else 0.0
        with self._lock:
            self._fixed_mib += max(0.0, self._own_mib() - before - voice_mib)

    def _own_mib(self) -> float:
        found = self._resident(())
        return 0.0 if found is None else found[0]


def _held(psutil: Any, pid: int) -> float:
    try:
        return float(psutil.Process(pid).memory_info().rss / _MIB)
    except psutil.Error:  # it has ended
        return 0.0
