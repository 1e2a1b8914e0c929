"""A steady growth among noisy values, and when it reaches a limit."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from statistics import median

#: Fewer points tell chance and growth not apart.
FEWEST = 30
#: Values must rise over the window by this many typical distances (median) from the line. Of 20,000 windows of noise
#: (even, Gaussian, exponential) 6 rose by four of them, and none by six.
_ABOVE_NOISE = 6.0
#: Each quarter must rise by this part of the mean rise: a jump, or growth that came to an end, has quarters without.
_EVEN = 1 / 3
#: So many values must differ from the one before. A peak that is lifted now and then, by a batch longer than all
#: before, makes a few steps: without this, one in seven simulated trainings without a leak was called growing.
_CHANGING = 1 / 3


def seconds_until(points: Sequence[tuple[float, float]], limit: float) -> float | None:
    """Seconds from the last point (seconds, value) until `limit` is reached; None when there is no steady growth."""
    if len(points) < FEWEST:
        return None
    slope = _slope(points)
    if slope <= 0:
        return None
    first, last = points[0][0], points[-1][0]
    middle = median(value - slope * (seconds - last) for seconds, value in points)  # the line at the last point
    noise = median(abs(value - middle - slope * (seconds - last)) for seconds, value in points)
    values = [value for _, value in points]
    if slope * (last - first) < _ABOVE_NOISE * noise or not _is_even(values) or not _is_changing(values):
        return None
    return max(0.0, (limit - middle) / slope)


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Theil and Sen's: the median over all pairs, which a third of wild values cannot move far."""
    pairs = ((then, now) for then, now in combinations(points, 2) if now[0] > then[0])
    slopes = [(now[1] - then[1]) / (now[0] - then[0]) for then, now in pairs]
    return median(slopes) if slopes else 0.0


def _is_even(values: Sequence[float]) -> bool:
    quarters = [median(values[len(values) * part // 4 : len(values) * (part + 1) // 4]) for part in range(4)]
    rises = [late - early for early, late in pairwise(quarters)]
    return min(rises) >= _EVEN * (quarters[-1] - quarters[0]) / 3 > 0


def _is_changing(values: Sequence[float]) -> bool:
    return sum(then != now for then, now in pairwise(values)) >= _CHANGING * len(values)
