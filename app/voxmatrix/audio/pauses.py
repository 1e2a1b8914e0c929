"""What of long speech is taken: what is heard best, from pause to pause, or else to where it is quietest."""

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import HOP_SECONDS, Samples, levels_dbfs, speech_threshold_dbfs

#: Shorter gaps are within words: the closure of a t or k takes up to a tenth of a second.
MIN_PAUSE_SECONDS = 0.2
#: What of a pause stays behind the last word.
_KEPT_SECONDS = 0.1
#: Later speech is taken only if it is so much better. Speech further above its noise than this is as good.
_BETTER_DB, _CLEAR_DB = 3.0, 50.0
#: What is so far below the loud parts is between words.
_QUIET_DB = 15.0
#: Samples from here on are clipped, and what a share of them costs: 10 dB for one in a hundred.
_CLIPPED, _CLIPPED_DB = 0.99, 1000.0
#: Without a pause, the quietest such stretch of this end is looked for.
_QUIET_SECONDS, _SEARCHED_SECONDS = 0.06, 2.0


def best_stretch(samples: Samples, rate_hz: int, least: float, most: float) -> tuple[float, Samples]:
    """Where the speech (n,) is heard best, in seconds from its begin, and that stretch: at most `most` seconds.

    Stretches begin after pauses, and end as `cut_at_pause` says. The best one has its loud parts furthest above its
    noise, little silence and no clipped samples; the first one that is nearly as good is taken.
    """
    limit = round(most * rate_hz)
    if len(samples) <= limit:
        return 0.0, samples
    levels, hop = levels_dbfs(samples, rate_hz), round(HOP_SECONDS * rate_hz)
    threshold, kept = speech_threshold_dbfs(levels), round(_KEPT_SECONDS / HOP_SECONDS)
    begins = [0, *((end - kept) * hop for start, end in _pauses(levels < threshold) if start)]
    enough = [begin for begin in begins if (len(samples) - begin) / rate_hz >= max(least, most / 2)]
    # No more than is looked at: one sample more than the limit, so that the rest is cut in a pause.
    found = {begin: cut_at_pause(samples[begin : begin + limit + 1], rate_hz, least, most) for begin in enough}
    scores = {begin: _clearness(stretch, rate_hz, threshold) for begin, stretch in found.items()}
    begin = next(begin for begin in enough if scores[begin] >= max(scores.values()) - _BETTER_DB)
    return begin / rate_hz, found[begin]


def _clearness(samples: Samples, rate_hz: int, threshold_dbfs: float) -> float:
    """How well a stretch of speech is heard, in decibels."""
    levels = levels_dbfs(samples, rate_hz)
    lowest, loud = np.percentile(levels, (2, 95))  # some have hardly more than a pause at their end
    quiet = levels[levels < loud - _QUIET_DB]
    noise = quiet.mean() if len(quiet) else lowest
    spoken = max(float((levels >= threshold_dbfs).mean()), 1e-3)
    clipped = float((np.abs(samples) >= _CLIPPED).mean())
    return float(min(loud - noise, _CLEAR_DB) + 10 * np.log10(spoken) - _CLIPPED_DB * clipped)


def _pauses(quiet: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The first frame of each pause, and that after its last one."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], quiet.view(np.int8), [0]))))
    found = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(start, end) for start, end in found if end - start >= MIN_PAUSE_SECONDS / HOP_SECONDS]


def cut_at_pause(samples: Samples, rate_hz: int, least: float, most: float) -> Samples:
    """The beginning of speech (n,), at most `most` seconds, that ends in a pause: the last one of its second half.

    If there is none, it ends at the quietest point of its last two seconds, which is rarely within a syllable. It is
    never shorter than `least` seconds.
    """
    limit = round(most * rate_hz)
    least = max(least, most / 2)
    if len(samples) <= limit:
        return samples
    levels = levels_dbfs(samples, rate_hz)
    hop = round(HOP_SECONDS * rate_hz)
    last = min(limit // hop, len(levels))  # the first frame that would reach beyond the limit
    kept = round(_KEPT_SECONDS / HOP_SECONDS)
    for start, _ in reversed(_pauses(levels < speech_threshold_dbfs(levels))):
        if least / HOP_SECONDS <= start < last:
            return samples[: min((start + kept) * hop, limit)]
    size = round(_QUIET_SECONDS / HOP_SECONDS)
    first = max(0, last - round(min(_SEARCHED_SECONDS, most - least) / HOP_SECONDS))
    if last - first < size:
        return samples[:limit]
    powers = np.convolve(10 ** (levels[first:last] / 10), np.ones(size), "valid")
    return samples[: min((first + int(powers.argmin()) + size // 2) * hop, limit)]
