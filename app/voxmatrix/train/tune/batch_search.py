"""Which batch sizes to measure until the largest that fits is known. Pure: what measures is passed in."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

#: Between the last size that fits and the first that does not, this much of the former is near enough.
NEAR_ENOUGH = 0.05
#: With less than this gained over two doublings a CPU is busy, and more clips only take memory.
LEAST_GAIN = 1.05
#: Not with fewer clips: a plan takes up to so many, and beside other programs times of small batches say little.
_BUSY_FROM = 32
#: From so many sizes on, what a clip takes is known from them alone.
_KNOWN_FROM = 3


@dataclass(frozen=True, kw_only=True)
class TriedBatch:
    """One size that could be computed."""

    batch_size: int
    peak_mib: float
    step_seconds: float
    seconds: float  # that measuring it took

    @property
    def clips_per_second(self) -> float:
        """Its speed."""
        return self.batch_size / self.step_seconds


@dataclass(frozen=True, kw_only=True)
class SearchBounds:
    """Where the search ends."""

    limit_mib: float  # a larger peak does not count as fitting
    careful: bool = False  # a full memory harms more than this process: what would exceed the limit is not tried
    until_busy: bool = False  # end where more clips are no faster
    clip_mib: float = 0.0  # what a clip is expected to take; only who is careful needs it
    most: int = 512
    limit_seconds: float = 600.0  # for all sizes together
    size_seconds: float = 120.0  # for one


#: Measures one size; None when memory ran out.
Measure = Callable[[int], TriedBatch | None]


@dataclass(kw_only=True)
class BatchSearch:
    """The sizes that were measured so far, also by a search that was cut off, and why it ended."""

    measure: Measure
    bounds: SearchBounds
    tried: list[TriedBatch] = field(default_factory=list)
    too_large: int = 0  # a size that is known not to fit; 0: none is
    ended: str = ""

    def run(self) -> str:
        """Double until a size does not fit, halve the distance until it is small enough, and say why it ended."""
        most = self.bounds.most
        fits, too_large = self._known_to_fit(), self.too_large or most + 1
        while fits < (size := min(2 * fits or 1, most)) < too_large and self._goes_on(size):
            fits, too_large = (size, too_large) if self._fits(size) else (fits, size)
        while not self.ended and too_large <= most and too_large - fits > max(1, fits * NEAR_ENOUGH):
            between = (fits + too_large) // 2
            if not self._goes_on(between):
                break
            fits, too_large = (between, too_large) if self._fits(between) else (fits, between)
        found = f"{fits} is the most that is tried" if fits == most else f"batch {too_large} does not fit"
        return self.ended or found

    def _known_to_fit(self) -> int:
        return max((each.batch_size for each in self.tried if each.peak_mib <= self.bounds.limit_mib), default=0)

    def _fits(self, size: int) -> bool:
        if self.bounds.careful and self.tried and self.expected_mib(size) > self.bounds.limit_mib:
            return False
        tried = self.measure(size)
        if tried is None:
            return False
        self.tried.append(tried)
        return tried.peak_mib <= self.bounds.limit_mib

    def expected_mib(self, size: int) -> float:
        """What a size larger than those that were measured will take, by the steepest that was seen between two."""
        known = sorted(self.tried, key=lambda each: each.batch_size)
        slopes = [(b.peak_mib - a.peak_mib) / (b.batch_size - a.batch_size) for a, b in pairwise(known)]
        if len(known) < _KNOWN_FROM:
            slopes.append(self.bounds.clip_mib)
        return known[-1].peak_mib + max(slopes) * (size - known[-1].batch_size)

    def _goes_on(self, size: int) -> bool:
        """Whether there is time for this size, and something to be gained by it."""
        if not self.tried:
            return True
        last = self.tried[-1]
        takes = last.seconds * size / last.batch_size
        if self.bounds.careful and last.peak_mib > self.bounds.limit_mib:
            self.ended = f"batch {last.batch_size} took more than may be taken"
        elif takes > self.bounds.size_seconds:
            self.ended = f"batch {size} would take more than {self.bounds.size_seconds:g} s to measure"
        elif sum(each.seconds for each in self.tried) + takes > self.bounds.limit_seconds:
            self.ended = f"batch {size} would take more than is left of {self.bounds.limit_seconds:g} s"
        elif self.bounds.until_busy and self._busy(last):
            self.ended = f"batch {last.batch_size} gains no speed over a quarter of it, so no larger one is tried"
        return not self.ended

    def _busy(self, last: TriedBatch) -> bool:
        if last.batch_size < _BUSY_FROM:
            return False
        quarter = next((each for each in self.tried if 4 * each.batch_size == last.batch_size), None)
        return quarter is not None and last.clips_per_second < LEAST_GAIN * quarter.clips_per_second
