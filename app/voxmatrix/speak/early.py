"""Hand out a sentence while it is still being computed."""

from collections.abc import Iterable, Iterator

import numpy as np

from voxmatrix.audio.loudness import speech_level_dbfs
from voxmatrix.audio.samples import Samples

#: So much speech tells the loudness of its sentence (tiny voice, 30 sentences of 8 to 11 s: 0.3 dB standard deviation,
#: 0.7 dB at most; 1 s: 0.6 and 1.3 dB).
HEAD_SECONDS = 1.5
#: Where a piece ends is looked for in its last samples: longer than a period of the lowest voices.
_SEARCH_SECONDS = 0.05
#: What the limiter of the loudness looks at on both sides of a sample.
_AROUND_SECONDS = 0.002


def pieces(segments: Iterable[Samples], rate_hz: int) -> Iterator[Samples]:
    """The samples of a sentence: a piece long enough to measure its loudness, and further ones as segments arrive.

    Pieces end where the signal is small, so that each can be limited alone without a step. A short sentence is one.
    """
    held = np.zeros(0, np.float32)
    begun = False
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
