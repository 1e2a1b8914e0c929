"""What a student learns from: sentences with their frames, and batches of them, the same for the same step."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from voxmatrix.audio.waves import INT16_MAX
from voxmatrix.distil.student.corpus import HOP, TeacherSpeech
from voxmatrix.distil.student.losses import noise_floor
from voxmatrix.distil.student.waves import LOWEST_HZ

#: Sentences of a batch for the rhythm are of about the same length: out of so many neighbours.
_NEIGHBOURS = 64
_QUIETEST = 1e-3


@dataclass(frozen=True)
class Scale:
    """Mean and deviation of the curves of a voice: log of the pitch, energy."""

    pitch: tuple[float, float]
    energy: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Utterance:
    """A sentence of t symbols and f frames."""

    ids: Tensor  # (t,)
    durations: Tensor  # (t,)
    curves: Tensor  # (f, CURVES)
    speech: TeacherSpeech
    speaker: int = 0

    @cached_property
    def noise(self) -> Tensor:
        """The magnitudes of its noise (NOISE_BINS,)."""
        return noise_floor(torch.from_numpy(self.speech.wave()))

    @cached_property
    def symbols(self) -> Tensor:
        """The symbol of each frame (f,)."""
        return torch.repeat_interleave(torch.arange(len(self.ids)), self.durations)


@dataclass(frozen=True)
class Sentences:
    """A batch of whole sentences, padded."""

    ids: Tensor  # (b, t)
    absent: Tensor  # (b, t) which ids are padding
    durations: Tensor  # (b, t)
    symbols: Tensor  # (b, f)
    curves: Tensor  # (b, f, CURVES)
    present: Tensor  # (b, f) which frames are not padding
    speakers: Tensor  # (b,)


@dataclass(frozen=True)
class Excerpts:
    """A batch of n frames of each of some sentences."""

    sentences: Sentences
    frames: Tensor  # (b, n) their places in the sentences
    hz: Tensor  # (b, f) of the whole sentences
    samples: Tensor  # (b, n * HOP)
    noise: Tensor  # (b, NOISE_BINS) of the whole sentences
    filters: Tensor | None  # (b, n, 4, BINS)


def scale_of(spoken: Sequence[TeacherSpeech]) -> Scale:
    """The scale of a voice's curves."""
    logs = np.log(np.concatenate([one.hz[one.hz > LOWEST_HZ] for one in spoken]))
    energy = np.concatenate([_energy(one) for one in spoken])
    return Scale((float(logs.mean()), float(logs.std())), (float(energy.mean()), float(energy.std())))


def utterance(
    ids: Sequence[int], durations: NDArray[np.int64], speech: TeacherSpeech, scale: Scale, speaker: int = 0
) -> Utterance:
    """A sentence with its curves. Where it is unvoiced, the pitch is a line between the voiced frames around."""
    voiced = speech.hz > LOWEST_HZ
    mean, deviation = scale.pitch
    places = np.arange(speech.frames)
    logs = np.log(np.where(voiced, speech.hz, 1.0))
    pitch = np.interp(places, places[voiced], logs[voiced]) if voiced.any() else np.full(speech.frames, mean)
    energy = (_energy(speech) - scale.energy[0]) / scale.energy[1]
    curves = np.stack([(pitch - mean) / deviation, voiced, energy], -1).astype(np.float32)
    return Utterance(torch.tensor(ids), torch.from_numpy(durations), torch.from_numpy(curves), speech, speaker)


def sentences(utterances: Sequence[Utterance]) -> Sentences:
    """Whole sentences as a batch. Frames of padding belong to the first symbol."""
    ids, durations, symbols, curves = (
        pad_sequence([getattr(one, name) for one in utterances], batch_first=True)
        for name in ("ids", "durations", "symbols", "curves")
    )
    absent = torch.arange(ids.shape[1]) >= torch.tensor([len(one.ids) for one in utterances])[:, None]
    present = torch.arange(symbols.shape[1]) < torch.tensor([one.speech.frames for one in utterances])[:, None]
    speakers = torch.tensor([one.speaker for one in utterances])
    return Sentences(ids, absent, durations, symbols, curves, present, speakers)


class Batcher:
    """Draws what a step learns from."""

    def __init__(self, utterances: Sequence[Utterance], excerpt: int) -> None:
        """Excerpts have `excerpt` frames.

        Raises:
            ValueError: no sentence is that long.
        """
        self._sorted = sorted(utterances, key=lambda one: one.speech.frames)
        self._long = [one for one in self._sorted if one.speech.frames >= excerpt]
        if not self._long:
            raise ValueError(f"no sentence has {excerpt} frames")
        frames = np.array([one.speech.frames for one in self._long], dtype=np.float64)
        self._chances = frames / frames.sum()
        self._excerpt = excerpt

    def sentences(self, count: int, step: int) -> list[Utterance]:
        """Sentences of about the same length."""
        random = np.random.default_rng((0x5EED, step))
        start = int(random.integers(0, max(1, len(self._sorted) - _NEIGHBOURS + 1)))
        near = self._sorted[start : start + _NEIGHBOURS]
        return [near[one] for one in random.choice(len(near), min(count, len(near)), replace=False)]

    def excerpts(self, count: int, step: int) -> list[tuple[Utterance, int]]:
        """Sentences, from long ones more often, each with the frame where its excerpt starts."""
        random = np.random.default_rng((0x50FA, step))
        chosen = [self._long[one] for one in random.choice(len(self._long), count, p=self._chances)]
        return [(one, int(random.integers(0, one.speech.frames - self._excerpt + 1))) for one in chosen]


def excerpts(drawn: Sequence[tuple[Utterance, int]], count: int) -> Excerpts:
    """So many frames of each sentence, from one on."""
    utterances, starts = zip(*drawn, strict=True)
    samples = np.stack([one.speech.samples[start * HOP : (start + count) * HOP] for one, start in drawn])
    filters = [one.speech.filters[start : start + count] for one, start in drawn if one.speech.filters is not None]
    return Excerpts(
        sentences(utterances),
        torch.tensor(starts)[:, None] + torch.arange(count),
        pad_sequence([torch.from_numpy(one.speech.hz) for one in utterances], batch_first=True),
        torch.from_numpy(samples).float() / INT16_MAX,
        torch.stack([one.noise for one in utterances]),
        torch.from_numpy(np.stack(filters)).float() if filters else None,
    )


def _energy(speech: TeacherSpeech) -> NDArray[np.float32]:
    """The logarithm of the level of each frame, in windows of four frames (f,)."""
    squares = np.square(speech.wave()).reshape(-1, HOP).mean(1)
    padded = np.pad(squares, (1, 2))
    around = sum(padded[start : start + len(squares)] for start in range(4)) / 4
    return np.log(np.sqrt(around) + _QUIETEST).astype(np.float32)
