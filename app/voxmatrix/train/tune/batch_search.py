"""Search for the largest batch size that fits. Pure: the function that measures is passed in."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

#: The search ends when the gap between fitting and not fitting is at most this fraction of the fitting size.
TOLERANCE = 0.05
#: If speed increases by less than this factor over two doublings, a CPU is saturated: more clips only cost memory.
MIN_GAIN = 1.05
#: Batches below this are not compared: plans use up to this size, and timings of small batches are too noisy.
_SATURATED_FROM = 32
#: Number of measured sizes from which on the memory per clip is known from them alone.
_SLOPE_KNOWN_FROM = 3


@dataclass(frozen=True, kw_only=True)
class TriedBatch:
    """The measurement of one size."""

    batch_size: int
    peak_mib: float
    step_seconds: float
    seconds: float  # duration of the measurement

    @property
    def clips_per_second(self) -> float:
        """The speed of training with this batch size."""
        return self.batch_size / self.step_seconds


@dataclass(frozen=True, kw_only=True)
class SearchBounds:
    """Limits of the search."""

    limit_mib: float  # a batch with a larger peak does not fit
    never_exceed: bool = False  # do not try sizes expected to exceed the limit: they would harm other processes too
    stop_when_saturated: bool = False  # stop when more clips are no faster
    clip_mib: float = 0.0  # expected memory per clip; only needed with never_exceed
    max_batch: int = 512
    limit_seconds: float = 600.0  # for all sizes
    size_seconds: float = 120.0  # for one size


#: Measures one size; None: out of memory.
Measure = Callable[[int], TriedBatch | None]


@dataclass(kw_only=True)
class BatchSearch:
    """A search; `tried` and `too_large` may come from an earlier one that was interrupted."""

    measure: Measure
    bounds: SearchBounds
    tried: list[TriedBatch] = field(default_factory=list)
    too_large: int = 0  # a size that does not fit; 0: unknown
    ended: str = ""

    def run(self) -> str:
        """Double the size until it does not fit, then bisect; the result is why the search ended."""
        max_batch = self.bounds.max_batch
        fits, too_large = self._largest_fitting(), self.too_large or max_batch + 1
        while fits < (size := min(2 * fits or 1, max_batch)) < too_large and self._may_try(size):
            fits, too_large = (size, too_large) if self._fits(size) else (fits, size)
        while not self.ended and too_large <= max_batch and too_large - fits > max(1, fits * TOLERANCE):
            middle = (fits + too_large) // 2
            if not self._may_try(middle):
                break
            fits, too_large = (middle, too_large) if self._fits(middle) else (fits, middle)
        result = f"batch {fits} is the largest size tried" if fits == max_batch else f"batch {too_large} does not fit"
        return self.ended or result

    def _largest_fitting(self) -> int:
        return max((tried.batch_size for tried in self.tried if tried.peak_mib <= self.bounds.limit_mib), default=0)

    def _fits(self, size: int) -> bool:
        if self.bounds.never_exceed and self.tried and self.expected_mib(size) > self.bounds.limit_mib:
            return False
        tried = self.measure(size)
        if tried is None:
            return False
        self.tried.append(tried)
        return tried.peak_mib <= self.bounds.limit_mib

    def expected_mib(self, size: int) -> float:
        """The expected peak of a size above all measured ones, by the steepest slope between two of them."""
        tried = sorted(self.tried, key=lambda tried: tried.batch_size)
        slopes = [(b.peak_mib - a.peak_mib) / (b.batch_size - a.batch_size) for a, b in pairwise(tried)]
        if len(tried) < _SLOPE_KNOWN_FROM:
            slopes.append(self.bounds.clip_mib)
        return tried[-1].peak_mib + max(slopes) * (size - tried[-1].batch_size)

    def _may_try(self, size: int) -> bool:
        """Whether there is time to measure this size, and something to gain; otherwise `ended` is set."""
        if not self.tried:
            return True
        last = self.tried[-1]
        expected_seconds = last.seconds * size / last.batch_size
        if self.bounds.never_exceed and last.peak_mib > self.bounds.limit_mib:
            self.ended = f"batch {last.batch_size} exceeded the memory limit"
        elif expected_seconds > self.bounds.size_seconds:
            self.ended = f"batch {size} would take more than {self.bounds.size_seconds:g} s to measure"
        elif sum(tried.seconds for tried in self.tried) + expected_seconds > self.bounds.limit_seconds:
            self.ended = f"batch {size} would exceed the time limit of {self.bounds.limit_seconds:g} s for all sizes"
        elif self.bounds.stop_when_saturated and self._is_saturated(last):
            self.ended = f"batch {last.batch_size} is no faster than a quarter of it, so no larger one is tried"
        return not self.ended

    def _is_saturated(self, last: TriedBatch) -> bool:
        if last.batch_size < _SATURATED_FROM:
            return False
        quarter = next((tried for tried in self.tried if 4 * tried.batch_size == last.batch_size), None)
        return quarter is not None and last.clips_per_second < MIN_GAIN * quarter.clips_per_second
