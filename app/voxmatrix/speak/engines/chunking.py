"""A sentence in pieces, and in shorter ones where memory runs out."""

import math
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from voxmatrix.audio.samples import Samples
from voxmatrix.compute.memory import free_cached, is_out_of_memory, missing_mib
from voxmatrix.errors import MemoryExhaustedError

if TYPE_CHECKING:
    import torch

R = TypeVar("R")
#: Samples of places start..end, which hang on those around them as well.
Decode = Callable[[int, int], Samples]


class SentenceLength(NamedTuple):
    """How long a sentence is. Frames are not known before the text has been worked through."""

    symbols: int
    frames: int | None = None

    def __str__(self) -> str:
        frames = "" if self.frames is None else f" and {self.frames:,} frames"
        return f"a sentence of {self.symbols:,} symbols{frames}"


class ChunkedDecoder:
    """Decodes sentences in one go while memory lasts, then in halves, quarters … One for each voice and device.

    A length that did not fit is not tried again. Who is short of memory works alone: what others hold then comes free.
    """

    def __init__(self, least: int, where: str, remedy: str, device: "torch.device | None" = None) -> None:
        """Windows of `least` places or more; `where` and `remedy` are for the error when these do not fit either."""
        self._least = least
        self._most: int | None = None  # as long as need be
        self._where = where
        self._remedy = remedy
        self._device = device
        self._alone = threading.Lock()

    def decode(self, decode: Decode, start: int, end: int, size: SentenceLength) -> Samples:
        """Samples of the places start..end.

        Raises:
            MemoryExhaustedError: not even windows of the least length fit.
        """
        if self._most is None:
            samples, _ = self._attempt(lambda: decode(start, end))
            if samples is not None:
                return samples
            self._shorten(end - start)
        with self._alone:
            return self._shorter(decode, start, end, size)

    def whole(self, work: Callable[[], R], size: SentenceLength) -> R:
        """What cannot be cut: tried once more when memory has been freed.

        Raises:
            MemoryExhaustedError: it does not fit.
        """
        done, _ = self._attempt(work)
        if done is None:
            with self._alone:
                done, missing = self._attempt(work)
        if done is None:
            raise self._exhausted(size, missing)
        return done

    def _shorter(self, decode: Decode, start: int, end: int, size: SentenceLength) -> Samples:
        found: list[Samples] = []
        while start < end:
            to = min(end, start + (self._most or end - start))
            samples, missing = self._attempt(lambda a=start, b=to: decode(a, b))  # type: ignore[misc]
            if samples is not None:
                found.append(samples)
                start = to
            elif to - start > self._least:
                self._shorten(to - start)
            else:
                raise self._exhausted(size, missing)
        return np.concatenate(found)

    def _shorten(self, places: int) -> None:
        half = max(self._least, -(-places // 2))
        self._most = half if self._most is None else min(self._most, half)

    def _attempt(self, work: Callable[[], R]) -> tuple[R | None, float | None]:
        """What comes of it; where memory runs out, None and how much was wanted, and what is cached is given back."""
        try:
            return work(), None
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            missing = missing_mib(error)
        free_cached(self._device)  # the error is gone by now, and with it the tensors that its frames held
        return None, missing

    def _exhausted(self, size: SentenceLength, missing: float | None) -> MemoryExhaustedError:
        wanted = "" if missing is None else f"; {math.ceil(missing):,} MiB more were asked for in vain"
        return MemoryExhaustedError(f"{self._where} has no memory left to speak {size}{wanted}", self._remedy)


def pieces(places: int, most: int) -> list[tuple[int, int]]:
    """Where to cut a sentence: pieces of nearly equal length, none longer than `most`."""
    count = max(1, -(-places // max(1, most)))
    edges = [places * number // count for number in range(count + 1)]
    return list(pairwise(edges))
