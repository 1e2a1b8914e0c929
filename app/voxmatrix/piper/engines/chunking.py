"""Compute a sentence in segments, and in shorter ones when out of memory."""

import math
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.compute.memory import free_cached, is_out_of_memory, missing_mib
from voxmatrix.errors import MemoryExhaustedError

if TYPE_CHECKING:
    import torch

R = TypeVar("R")
#: Computes the samples of positions start..end, which also depend on the positions around them.
Decode = Callable[[int, int], Samples]


class SentenceLength(NamedTuple):
    """The length of a sentence. The number of frames is known only after the first network has run."""

    symbols: int
    frames: int | None = None

    def __str__(self) -> str:
        frames = "" if self.frames is None else f" and {self.frames:,} frames"
        return f"a sentence of {self.symbols:,} symbols{frames}"


class ChunkedDecoder:
    """Decodes sentences as a whole or, when out of memory, in halves, quarters … One per voice and device.

    A length that did not fit is not tried again. Only one thread at a time retries, so that the others free memory.
    """

    def __init__(self, least: int, where: str, remedy: str, device: "torch.device | None" = None) -> None:
        """Use segments of at least `least` positions. `where` and `remedy` are used in errors if these do not fit."""
        self._least = least
        self._most: int | None = None  # no limit
        self._where = where
        self._remedy = remedy
        self._device = device
        self._alone = threading.Lock()

    def decode(self, decode: Decode, start: int, end: int, size: SentenceLength) -> Samples:
        """The samples of the positions start..end.

        Raises:
            MemoryExhaustedError: not even the shortest segments fit into memory.
        """
        if self._most is None:
            samples, _ = self._try(lambda: decode(start, end))
            if samples is not None:
                return samples
            self._halve(end - start)
        with self._alone:
            return self._decode_segments(decode, start, end, size)

    def whole(self, work: Callable[[], R], size: SentenceLength) -> R:
        """Do work that cannot be split. It is retried once, after memory was freed.

        Raises:
            MemoryExhaustedError: it does not fit into memory.
        """
        result, _ = self._try(work)
        if result is None:
            with self._alone:
                result, missing = self._try(work)
        if result is None:
            raise self._exhausted(size, missing)
        return result

    def _decode_segments(self, decode: Decode, start: int, end: int, size: SentenceLength) -> Samples:
        found: list[Samples] = []
        while start < end:
            to = min(end, start + (self._most or end - start))
            samples, missing = self._try(lambda a=start, b=to: decode(a, b))  # type: ignore[misc]
            if samples is not None:
                found.append(samples)
                start = to
            elif to - start > self._least:
                self._halve(to - start)
            else:
                raise self._exhausted(size, missing)
        return np.concatenate(found)

    def _halve(self, positions: int) -> None:
        half = max(self._least, -(-positions // 2))
        self._most = half if self._most is None else min(self._most, half)

    def _try(self, work: Callable[[], R]) -> tuple[R | None, float | None]:
        """The result, or None and the missing MiB (if known) when out of memory; cached memory is then released."""
        try:
            return work(), None
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            missing = missing_mib(error)
        free_cached(self._device)  # after the error and the tensors that its traceback referenced are gone
        return None, missing

    def _exhausted(self, size: SentenceLength, missing: float | None) -> MemoryExhaustedError:
        requested = "" if missing is None else f"; allocating {math.ceil(missing):,} MiB failed"
        return MemoryExhaustedError(f"{self._where} has no memory left to speak {size}{requested}", self._remedy)


def segments(positions: int, most: int, *, equal: bool = True) -> list[tuple[int, int]]:
    """Split a sentence into segments (start, end) of at most `most`: nearly equal, or full ones and a rest."""
    most = max(1, most)
    count = max(1, -(-positions // most))
    edges = [positions * number // count if equal else min(positions, most * number) for number in range(count + 1)]
    return list(pairwise(edges))
