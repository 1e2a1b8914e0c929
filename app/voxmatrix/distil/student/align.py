"""Which frames of a teacher's speech belong to which symbol, from nothing but ids and samples.

Two small networks bring symbols and mel frames to one space, where they are near if they belong together; they learn
by all paths at once (CTC) with a prior along the diagonal (Badlani et al. 2021, One TTS Alignment To Rule Them All,
https://arxiv.org/abs/2108.10447). Silence at both ends is measured first and given to the first and the last symbol:
else a tenth of all words is more than 100 ms off, and the first and the last one are cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.audio.waves import Samples
from voxmatrix.distil.student.corpus import HOP, TeacherSpeech
from voxmatrix.distil.student.losses import MELS, MelBands
from voxmatrix.progress import OnProgress
from voxmatrix.text.symbols import NUM_SYMBOLS
from voxmatrix.vits.alignment import best_path

#: What is silent at the ends, below the loudest frame, in dB; frames kept before and after what is not.
_SILENT_DB, _BEFORE, _AFTER = -42.0, 1, 3
_TEMPERATURE = 0.05
_BATCH, _RATE = 16, 2e-3
#: Sentences that are seen, and passes at least and at most. Of 504 sentences, 8 passes put 92 % of the words within
#: 25 ms of where the teacher's own network has them, 16 passes 96 %.
_SEEN, _MIN_PASSES, _MAX_PASSES = 9500, 8, 50
_FORBIDDEN = -1e4


class Aligner(nn.Module):
    """Log-probabilities of symbols for each frame."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(NUM_SYMBOLS, 128)
        self.keys = nn.Sequential(nn.Conv1d(128, 256, 3, padding=1), nn.ReLU(), nn.Conv1d(256, 80, 1))
        self.queries = nn.Sequential(
            nn.Conv1d(MELS, 160, 3, padding=1), nn.ReLU(), nn.Conv1d(160, 80, 1), nn.ReLU(), nn.Conv1d(80, 80, 1)
        )

    def forward(self, ids: Tensor, mels: Tensor, absent: Tensor, prior: Tensor) -> Tensor:
        """Ids (b, t), mel frames (b, f, MELS), padding of ids (b, t), prior (b, f, t) -> (b, f, t)."""
        keys = self.keys(self.embedding(ids).transpose(1, 2)).transpose(1, 2)
        queries = self.queries(mels.transpose(1, 2)).transpose(1, 2)
        scores = -_TEMPERATURE * torch.cdist(queries, keys).square()
        return functional.log_softmax(scores.masked_fill(absent[:, None], _FORBIDDEN), -1) + prior


@dataclass(frozen=True)
class _Sentence:
    ids: Tensor  # (t,) without the first and the last symbol
    mels: Tensor  # (f, MELS) without silence at the ends
    silent: tuple[int, int]  # frames of it


def align(
    ids: Sequence[Sequence[int]], spoken: Sequence[TeacherSpeech], progress: OnProgress
) -> list[NDArray[np.int64]]:
    """Frames of each symbol of each sentence, in all as many as its speech has. Repeatable.

    The ids begin and end with a symbol that stands for silence; none of them is for padding.
    """
    torch.manual_seed(0)
    sentences = _prepared(ids, spoken)
    network = Aligner()
    _learn(network, sentences, progress)
    with torch.inference_mode():
        return [_durations(network, sentence) for sentence in sentences]


def silent_frames(wave: Samples) -> tuple[int, int]:
    """Frames of silence before and after speech (f * HOP,); one at least for each."""
    levels = np.sqrt(np.square(wave.reshape(-1, HOP)).mean(1))
    loud = np.flatnonzero(levels > levels.max() * 10 ** (_SILENT_DB / 20))
    return max(1, int(loud[0]) - _BEFORE), max(1, len(levels) - int(loud[-1]) - _AFTER)


def _prepared(ids: Sequence[Sequence[int]], spoken: Sequence[TeacherSpeech]) -> list[_Sentence]:
    bands = MelBands()
    found = []
    for numbers, speech in zip(ids, spoken, strict=True):
        wave = speech.wave()
        before, after = silent_frames(wave)
        mels = bands(torch.from_numpy(wave)[None])[0].T[before : speech.frames - after]
        found.append(_Sentence(torch.tensor(numbers[1:-1]), mels, (before, after)))
    joined = torch.cat([one.mels for one in found])
    mean, deviation = joined.mean(0), joined.std(0)
    return [_Sentence(one.ids, (one.mels - mean) / deviation, one.silent) for one in found]


def _learn(network: Aligner, sentences: Sequence[_Sentence], progress: OnProgress) -> None:
    optimizer = torch.optim.Adam(network.parameters(), _RATE, betas=(0.9, 0.99))
    order = sorted(range(len(sentences)), key=lambda number: len(sentences[number].mels))
    batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
    passes = min(_MAX_PASSES, max(_MIN_PASSES, _SEEN // len(sentences)))
    random = np.random.default_rng(0)
    for number in range(passes):
        for batch in random.permutation(len(batches)):
            loss = _loss(network, [sentences[one] for one in batches[batch]])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
        progress(number + 1, passes)


def _loss(network: Aligner, sentences: Sequence[_Sentence]) -> Tensor:
    """The negative log-likelihood of all paths, per frame."""
    lengths, frames = ([len(getattr(one, part)) for one in sentences] for part in ("ids", "mels"))
    ids = nn.utils.rnn.pad_sequence([one.ids for one in sentences], batch_first=True)
    mels = nn.utils.rnn.pad_sequence([one.mels for one in sentences], batch_first=True)
    prior = torch.zeros(*mels.shape[:2], ids.shape[1])
    for place, (symbols, length) in enumerate(zip(lengths, frames, strict=True)):
        prior[place, :length, :symbols] = _prior(length, symbols)
    absent = torch.arange(ids.shape[1]) >= torch.tensor(lengths)[:, None]
    scores = network(ids, mels, absent, prior)
    blank = functional.pad(scores, (1, 0), value=-1.0).masked_fill(functional.pad(absent, (1, 0))[:, None], _FORBIDDEN)
    paths = functional.log_softmax(blank, -1).transpose(0, 1)
    targets = torch.arange(1, ids.shape[1] + 1).expand(len(ids), -1)
    sizes = torch.tensor(frames), torch.tensor(lengths)
    losses = functional.ctc_loss(paths, targets, *sizes, blank=0, zero_infinity=True, reduction="none")
    return (losses / sizes[0]).mean()


def _prior(frames: int, symbols: int) -> Tensor:
    """Log-probabilities (frames, symbols) of a beta-binomial distribution around the diagonal."""
    count, last = torch.arange(symbols).float(), symbols - 1
    rising = torch.arange(1, frames + 1).float()[:, None]
    falling = frames + 1 - rising

    def log_beta(first: Tensor, second: Tensor) -> Tensor:
        return torch.lgamma(first) + torch.lgamma(second) - torch.lgamma(first + second)

    choices = torch.lgamma(torch.tensor(last + 1.0)) - torch.lgamma(count + 1) - torch.lgamma(last - count + 1)
    return choices + log_beta(count + rising, last - count + falling) - log_beta(rising, falling)


def _durations(network: Aligner, sentence: _Sentence) -> NDArray[np.int64]:
    symbols, frames = len(sentence.ids), len(sentence.mels)
    absent = torch.zeros(1, symbols, dtype=torch.bool)
    scores = network(sentence.ids[None], sentence.mels[None], absent, _prior(frames, symbols)[None])
    path = best_path(scores, torch.ones_like(scores))
    inner = path[0].sum(0).long().numpy()
    before, after = sentence.silent
    return np.concatenate([[before], inner, [after]]).astype(np.int64)
