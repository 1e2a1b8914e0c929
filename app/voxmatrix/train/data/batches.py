"""Batches of clips and their order, and which clips are for validation.

The order is a pure function of lengths, seed and epoch. It has no state, so a run can resume in the middle of an epoch.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from voxmatrix.dataset.prepared import Clip
from voxmatrix.errors import DamagedFileError
from voxmatrix.files import read_errors
from voxmatrix.tables.quality import HOP

#: One clip in this many is for validation, from MIN_CLIPS on; at most MAX_VALIDATION, since each validation uses all.
ONE_IN = 20
MAX_VALIDATION = 32
MIN_CLIPS = 8


def split(clips: Sequence[Clip]) -> tuple[tuple[Clip, ...], tuple[Clip, ...]]:
    """Clips for training and clips for validation (both are all clips if there are too few).

    The choice depends only on the content of the clips: adding a recording moves at most one.
    """
    if len(clips) < MIN_CLIPS:
        return tuple(clips), tuple(clips)
    count = min(MAX_VALIDATION, max(1, len(clips) // ONE_IN))
    held_out = set(sorted(range(len(clips)), key=lambda index: _key(clips[index]))[:count])
    training = tuple(clip for index, clip in enumerate(clips) if index not in held_out)
    return training, tuple(clips[index] for index in sorted(held_out))


def _key(clip: Clip) -> str:
    text = f"{clip.samples}|{clip.text}|{clip.speaker}"
    return hashlib.sha256(text.encode()).hexdigest()


#: Random relative change of lengths before clips are sorted by them, so that batches differ between epochs.
_JITTER = 0.1
_INT16 = 32768.0


class BatchCounts(NamedTuple):
    """The size of a batch, known without synchronising with the device."""

    clips: int
    symbols: int  # of all texts
    n_frames: int  # of all waves


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Clips padded with zeros to the longest of them; or some rows of such a batch, with the same padding."""

    text: Tensor  # (b, t) ids
    text_lengths: Tensor  # (b,)
    wave: Tensor  # (b, n) in -1..1
    frames: Tensor  # (b,) number of complete frames of each wave
    speaker: Tensor | None  # (b,)
    symbols_each: tuple[int, ...]
    frames_each: tuple[int, ...]
    first: int = 0  # index of the first row in the whole batch
    whole: BatchCounts | None = None  # size of the whole batch; None: this is not a part of one

    @property
    def size(self) -> BatchCounts:
        """The size of these rows."""
        return BatchCounts(len(self.frames_each), sum(self.symbols_each), sum(self.frames_each))

    @property
    def whole_size(self) -> BatchCounts:
        """The size of the whole batch."""
        return self.whole or self.size

    @property
    def padded_samples(self) -> int:
        """Samples of all rows including padding; memory use is proportional to it."""
        return len(self.frames_each) * self.wave.size(1)

    def part(self, start: int, stop: int) -> "Batch":
        """Rows `start` to `stop` with the padding of the whole batch, so that results are the same as in it."""
        rows = slice(start, stop)
        part = self._map(lambda tensor: tensor[rows])
        return replace(
            part,
            symbols_each=self.symbols_each[rows],
            frames_each=self.frames_each[rows],
            first=self.first + start,
            whole=self.whole_size,
        )

    def to(self, device: torch.device) -> "Batch":
        """The batch on `device`, without waiting for the copy."""
        return self._map(lambda tensor: tensor.to(device, non_blocking=True))

    def clone(self) -> "Batch":
        """A copy with tensors of its own."""
        return self._map(torch.clone)

    @property
    def tensors(self) -> list[Tensor]:
        """All tensors, in a fixed order."""
        tensors: list[Tensor] = []
        self._map(lambda tensor: tensors.append(tensor) or tensor)  # type: ignore[func-returns-value]
        return tensors

    def share_memory(self) -> "Batch":
        """The batch in shared memory.

        Raises:
            RuntimeError: there is not enough shared memory (/dev/shm).
        """
        return self._map(lambda tensor: tensor.share_memory_())  # type: ignore[no-untyped-call]

    def pin_memory(self) -> "Batch":
        """The batch in pinned memory; called by the DataLoader."""
        return self._map(lambda tensor: tensor.pin_memory())

    def _map(self, function: Callable[[Tensor], Tensor]) -> "Batch":
        return replace(
            self,
            text=function(self.text),
            text_lengths=function(self.text_lengths),
            wave=function(self.wave),
            frames=function(self.frames),
            speaker=None if self.speaker is None else function(self.speaker),
        )


class ClipDataset(Dataset[tuple[Clip, Tensor]]):
    """Clips with their waves, which are read on access."""

    def __init__(self, clips: Sequence[Clip]) -> None:
        self.clips = clips

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, index: int) -> tuple[Clip, Tensor]:
        """A clip and its wave (n,) in -1..1."""
        clip = self.clips[index]
        with read_errors(clip.path):
            try:
                samples = np.load(clip.path, allow_pickle=False)
            except (FileNotFoundError, ValueError, EOFError) as error:
                raise DamagedFileError(
                    f"the prepared recording of {clip.id}, {clip.path}, cannot be read: {error}",
                    f"remove {clip.path} and run the same command again to prepare it again",
                ) from error
        return clip, torch.from_numpy(samples.astype(np.float32) / _INT16)


#: What CUDA graphs pad batches to multiples of: few sizes of batches need few graphs.
GRAPH_FRAMES, GRAPH_SYMBOLS = 64, 32


class Collate:
    """Pad clips to a batch, and map speakers to numbers."""

    def __init__(self, speakers: Sequence[str], *, for_graphs: bool = False) -> None:
        self.numbers = {name: number for number, name in enumerate(speakers)} if len(speakers) > 1 else {}
        self._samples, self._symbols = (GRAPH_FRAMES * HOP, GRAPH_SYMBOLS) if for_graphs else (1, 1)

    def __call__(self, items: Sequence[tuple[Clip, Tensor]]) -> Batch:
        """Clips and waves -> one batch."""
        texts = [torch.tensor(clip.ids, dtype=torch.long) for clip, _ in items]
        waves = [wave for _, wave in items]
        text_lengths = [len(text) for text in texts]
        frames = [len(wave) // HOP for wave in waves]
        speaker = torch.tensor([self.numbers[clip.speaker or ""] for clip, _ in items]) if self.numbers else None
        return Batch(
            text=_pad(texts, self._symbols),
            text_lengths=torch.tensor(text_lengths),
            wave=_pad(waves, self._samples),
            frames=torch.tensor(frames),
            speaker=speaker,
            symbols_each=tuple(text_lengths),
            frames_each=tuple(frames),
        )


@dataclass(frozen=True, kw_only=True)
class StepPlan:
    """The batches of one optimiser step."""

    epoch: int
    index: int  # of the step in its epoch
    last: bool  # whether it is the last step of its epoch
    batches: tuple[tuple[int, ...], ...]  # indices of clips


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The steps of all epochs."""

    samples: tuple[int, ...]  # length of each clip
    batch_size: int
    accumulation: int
    max_batch_samples: int  # including padding; 0: no limit
    seed: int

    def epoch(self, epoch: int) -> list[StepPlan]:
        """All steps of an epoch. Each clip is in exactly one of them."""
        random = np.random.default_rng([self.seed, epoch])
        lengths = np.asarray(self.samples) * random.uniform(1 - _JITTER, 1 + _JITTER, len(self.samples))
        order = np.argsort(lengths, kind="stable")
        n_chunks = -(-len(order) // self.batch_size)
        chunks = [part for chunk in np.array_split(order, n_chunks) for part in self._within_limit(chunk.tolist())]
        batches = [chunks[index] for index in random.permutation(len(chunks))]
        groups = [tuple(batches[at : at + self.accumulation]) for at in range(0, len(batches), self.accumulation)]
        return [
            StepPlan(epoch=epoch, index=index, last=index == len(groups) - 1, batches=group)
            for index, group in enumerate(groups)
        ]

    def steps_from(self, epoch: int, index: int) -> Iterator[StepPlan]:
        """The steps from step `index` of `epoch` on, endlessly."""
        while True:
            yield from self.epoch(epoch)[index:]
            epoch, index = epoch + 1, 0

    def indices_from(self, epoch: int, index: int) -> Iterator[list[int]]:
        """The same as one list of clips per batch, for a DataLoader."""
        for step in self.steps_from(epoch, index):
            yield from (list(batch) for batch in step.batches)

    def _within_limit(self, chunk: list[int]) -> list[tuple[int, ...]]:
        """Halve a chunk until its padded size is within the limit. A single clip that exceeds it stays."""
        padded = len(chunk) * max(self.samples[clip] for clip in chunk)
        if len(chunk) == 1 or not self.max_batch_samples or padded <= self.max_batch_samples:
            return [tuple(chunk)]
        half = len(chunk) // 2
        return self._within_limit(chunk[:half]) + self._within_limit(chunk[half:])


def _pad(rows: Sequence[Tensor], multiple: int) -> Tensor:
    padded = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
    return torch.nn.functional.pad(padded, (0, -padded.size(1) % multiple))
