"""Hand out a sentence while it is still being computed."""

from collections.abc import Iterable, Iterator

import numpy as np

from voxmatrix.audio.loudness import HEAD_SECONDS, speech_level_dbfs
from voxmatrix.audio.waves import Samples

#: Where a piece ends is looked for in its last samples: longer than a period of the lowest voices.
_SEARCH_SECONDS = 0.05
#: What the limiter of the loudness looks at on both sides of a sample.
_AROUND_SECONDS = 0.002


def split_early(segments: Iterable[Samples], rate_hz: int, *, measured: bool = True) -> Iterator[Samples]:
    """The samples of a sentence as segments arrive. If `measured`, the first piece is long enough for its loudness.

    Pieces end where the signal is small, so that each can be limited alone without a step. A short sentence is one.
    """
    held = np.zeros(0, np.float32)
    begun = not measured
    for segment in segments:
        held = np.concatenate([held, segment])
        begun = begun or speech_level_dbfs(held, rate_hz)[1] >= HEAD_SECONDS
        if begun:
            place = quiet_place(held, rate_hz)
            yield held[:place]
            held = held[place:]
    if len(held) or not begun:
        yield held


def quiet_place(samples: Samples, rate_hz: int) -> int:
    """The place near the end around which the signal is smallest."""
    search, around = (round(seconds * rate_hz) for seconds in (_SEARCH_SECONDS, _AROUND_SECONDS))
    last = np.abs(samples[-search:])
    if len(last) <= 2 * around:
        return len(samples)
    peaks = np.lib.stride_tricks.sliding_window_view(last, 2 * around + 1).max(axis=1)
    return len(samples) - len(last) + around + int(peaks.argmin())
