"""When workers will have finished what they hold and what is left, shared out so that all end together."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate


class Drain:
    """Water filling: work of `seconds` of audio is poured over workers of which each is busy for some time."""

    def __init__(self, busy: Sequence[tuple[float, float]], seconds: float) -> None:
        """`busy` has a pair for each worker: seconds until it is free, and its speed."""
        self._free = sorted(busy)
        self._seconds = seconds
        self._speeds = list(accumulate((speed for _, speed in self._free), initial=0.0))
        self._offsets = list(accumulate((free * speed for free, speed in self._free), initial=0.0))

    def ends_in(self, without: tuple[float, float] | None = None) -> float:
        """Seconds until everything is done, by all workers or by all but one; infinite without workers."""
        low, high = 0, len(self._free)
        while low < high:  # the number of workers that are free before the end
            middle = (low + high) // 2
            if self._poured(self._free[middle][0], middle, without) < self._seconds:
                low = middle + 1
            else:
                high = middle
        speed, offset = self._speeds[low], self._offsets[low]
        if without is not None and bisect_left(self._free, without) < low:
            speed, offset = speed - without[1], offset - without[0] * without[1]
        if speed <= 1e-12:
            return self._first_free(without)
        return (self._seconds + offset) / speed

    def _poured(self, level: float, count: int, without: tuple[float, float] | None) -> float:
        """Audio that the first `count` workers would make until `level`."""
        poured = level * self._speeds[count] - self._offsets[count]
        if without is not None and without[0] < level:
            poured -= (level - without[0]) * without[1]
        return poured

    def _first_free(self, without: tuple[float, float] | None) -> float:
        free = list(self._free)
        if without is not None:
            free.remove(without)
        return free[0][0] if free else float("inf")
