"""Where speech that is longer than wanted may be cut: in a pause, or else where it is quietest."""

import numpy as np

from voxmatrix.audio.waves import HOP_SECONDS, Samples, levels_dbfs, speech_threshold_dbfs

#: Shorter gaps are within words: the closure of a t or k takes up to a tenth of a second.
MIN_PAUSE_SECONDS = 0.2
#: What of a pause stays behind the last word.
_KEPT_SECONDS = 0.1
#: Without a pause, the quietest such stretch of this end is looked for.
_QUIET_SECONDS, _SEARCHED_SECONDS = 0.06, 2.0


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
    quiet = np.concatenate(([0], (levels < speech_threshold_dbfs(levels)).view(np.int8), [0]))
    edges = np.flatnonzero(np.diff(quiet))
    kept = round(_KEPT_SECONDS / HOP_SECONDS)
    for start, end in zip(edges[::2][::-1], edges[1::2][::-1], strict=True):
        if end - start >= MIN_PAUSE_SECONDS / HOP_SECONDS and least / HOP_SECONDS <= start < last:
            return samples[: min((start + kept) * hop, limit)]
    size = round(_QUIET_SECONDS / HOP_SECONDS)
    first = max(0, last - round(min(_SEARCHED_SECONDS, most - least) / HOP_SECONDS))
    powers = np.convolve(10 ** (levels[first:last] / 10), np.ones(size), "valid")
    place = first + (int(powers.argmin()) + size // 2 if len(powers) else last - first)
    return samples[: min(place * hop, limit)]
