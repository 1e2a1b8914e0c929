"""What predicted durations are corrected by: the teacher's pace, and how long it holds stops at the ends of words.

The mean of a teacher's durations is as long as its speech, but a /t/ of 25 ms before another consonant ("waxed the") is
heard in the teacher's sound rather than in the student's. So stops there last at least as long as the teacher often
holds them.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from voxmatrix.distil.student.batches import Utterance
from voxmatrix.distil.student.network import ProsodyModel
from voxmatrix.text.symbols import NUM_SYMBOLS, default_map

_MAP = default_map("espeak")
SPACE = _MAP[" "][0]
#: The stops of espeak-ng's languages.
_STOPS = [_MAP[symbol][0] for symbol in "ptkbdɡqcɟʈɖɢ" if symbol in _MAP]
#: The share of a teacher's stops that are no longer, chosen by the words that were heard of other sentences.
_QUANTILE = 0.9
#: Fewer stops of a kind at ends of words do not say how long they are.
_MIN_SEEN = 10


def pace_of(rhythm: ProsodyModel, utterances: Sequence[Utterance]) -> float:
    """What predicted durations are to be multiplied with to be as long, in all, as those of the teacher."""
    with torch.inference_mode():
        made = sum(
            float(
                torch.expm1(rhythm.durations(rhythm.text(one.ids[None], torch.tensor([one.speaker]))))
                .clamp_min(1)
                .sum()
            )
            for one in utterances
        )
    return sum(one.speech.frames for one in utterances) / made


def least_frames(utterances: Sequence[Utterance]) -> Tensor:
    """The frames that each symbol has at least before a space (NUM_SYMBOLS,); 0 for all but stops that were heard."""
    least = torch.zeros(NUM_SYMBOLS)
    ids = torch.cat([one.ids for one in utterances])  # behind each sentence stands the first symbol of the next one
    frames = torch.cat([one.durations for one in utterances]).float()
    last = torch.cat([ids[1:] == SPACE, torch.tensor([False])])
    for stop in _STOPS:
        seen = frames[last & (ids == stop)]
        if len(seen) >= _MIN_SEEN:
            least[stop] = torch.quantile(seen, _QUANTILE)
    return least


def at_least(frames: Tensor, ids: Tensor, least: Tensor) -> Tensor:
    """Frames of symbols (1, t), those before a space at least as many as `least` (NUM_SYMBOLS,) says."""
    last = torch.cat([ids[:, 1:] == SPACE, torch.zeros_like(ids[:, :1], dtype=torch.bool)], 1)
    return torch.maximum(frames, least[ids] * last)
