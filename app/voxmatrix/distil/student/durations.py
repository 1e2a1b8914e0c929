"""What predicted durations are corrected by: the teacher's pace, and how long stops at the ends of words are held.

The mean of a teacher's durations is as long as its speech, but a /t/ of 25 ms before another consonant ("waxed the") is
heard in the teacher's sound rather than in the student's. So no stop there is shorter than most of its kind.
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
#: The share of stops of a kind that are shorter, chosen by the words that were heard of other sentences.
_QUANTILE = 0.9
#: Stops of which half are longer than that are heard as they are, e.g. those of French.
_LONG_ENOUGH = 3.5
#: Fewer stops of a kind at ends of words do not say how long they are.
_MIN_SEEN = 20


def predicted_frames(rhythm: ProsodyModel, utterances: Sequence[Utterance]) -> list[Tensor]:
    """How long the symbols of each sentence (t,) are predicted to be, in frames."""
    with torch.inference_mode():
        return [
            torch.expm1(rhythm.durations(rhythm.text(one.ids[None], torch.tensor([one.speaker]))))[0]
            for one in utterances
        ]


def pace_of(predicted: Sequence[Tensor], utterances: Sequence[Utterance]) -> float:
    """What predicted durations are to be multiplied with to be as long, in all, as those of the teacher."""
    return sum(one.speech.frames for one in utterances) / sum(float(one.clamp_min(1).sum()) for one in predicted)


def least_frames(predicted: Sequence[Tensor], sentences: Sequence[Tensor]) -> Tensor:
    """What each symbol has at least before a space, of frames and ids (t,) of sentences -> (NUM_SYMBOLS,).

    It is 0 for all but short stops.
    """
    least = torch.zeros(NUM_SYMBOLS)
    ids, frames = torch.cat(list(sentences)), torch.cat(list(predicted))
    last = _before_space(ids[None])[0]
    for stop in _STOPS:
        seen = frames[last & (ids == stop)]
        if len(seen) >= _MIN_SEEN and seen.median() < _LONG_ENOUGH:
            least[stop] = torch.quantile(seen, _QUANTILE)
    return least


def at_least(frames: Tensor, ids: Tensor, least: Tensor) -> Tensor:
    """Frames of symbols (1, t), those before a space at least as many as `least` (NUM_SYMBOLS,) says."""
    return torch.maximum(frames, least[ids] * _before_space(ids))


def _before_space(ids: Tensor) -> Tensor:
    """Which symbols (1, t) stand before a space."""
    return torch.cat([ids[:, 1:] == SPACE, torch.zeros_like(ids[:, :1], dtype=torch.bool)], 1)
