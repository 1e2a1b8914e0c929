"""Where another voice goes on with a sentence: the silence that each voice has at its ends is left out."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.models.family import TimedWord, Utterance

_FRAME_SECONDS = 0.005
#: What is quieter than the loudest frame by this much is silence, but for what is next to speech.
_SILENT_DB = 35.0
_MARGIN_FRAMES = 2


def joint_edges(samples: Samples, rate_hz: int, *, before: bool, behind: bool) -> tuple[int, int]:
    """Where the speech of a part of a sentence begins and ends, in samples; the whole of it, if it is silent.

    Args:
        samples: (n,), of the part.
        rate_hz: their rate.
        before: the silence before the speech is left out.
        behind: the silence behind it is.
    """
    frame = round(_FRAME_SECONDS * rate_hz)
    power = np.square(samples[: len(samples) - len(samples) % frame].astype(np.float64)).reshape(-1, frame).mean(axis=1)
    loud = np.flatnonzero(power > power.max(initial=0.0) * 10 ** (-_SILENT_DB / 10))
    if not len(loud):
        return 0, len(samples)
    start = max(0, int(loud[0]) - _MARGIN_FRAMES) * frame if before else 0
    end = min(len(samples), (int(loud[-1]) + 1 + _MARGIN_FRAMES) * frame) if behind else len(samples)
    return start, end


def moved_words(utterance: Utterance, start: int, end: int) -> Utterance:
    """An utterance of whose samples only those from `start` to `end` are heard."""

    def words() -> Sequence[TimedWord]:
        def place(samples: int) -> int:
            return min(max(samples, start), end) - start

        return [TimedWord(word.text, place(word.start), place(word.end)) for word in utterance.words()]

    return replace(utterance, words=words)
