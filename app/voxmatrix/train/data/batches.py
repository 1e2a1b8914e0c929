"""Which recordings are learned from together, and as which tensors.

Letters of this package: b batch, t text symbols, n samples of the wave, f spectrum frames, c channels.
The order is a pure function of lengths, seed and epoch: nothing is kept, so a run resumes in the middle of an epoch.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from voxmatrix.dataset.prepared import Clip
from voxmatrix.errors import DamagedFileError
from voxmatrix.tables.quality import HOP

#: Lengths are blurred by this much before clips are sorted by them, so that neighbours change from epoch to epoch.
_BLUR = 0.1
_INT16 = 32768.0


class BatchCounts(NamedTuple):
    """How much there is to learn from, in numbers, so that nobody asks the device for them."""

    clips: int
    symbols: int  # in all texts together
    n_frames: int  # in all waves together


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Some clips, padded with zeros to the longest; or some rows of such a batch, padded as it is."""

    text: Tensor  # (b, t) ids
    text_lengths: Tensor  # (b,)
    wave: Tensor  # (b, n) in -1..1
    frames: Tensor  # (b,) whole frames of each wave
    speaker: Tensor | None  # (b,)
    symbols_each: tuple[int, ...]
    frames_each: tuple[int, ...]
    first: int = 0  # the row of the whole batch with which this part begins
    whole: BatchCounts | None = None  # of the batch that this is a part of; None: it is no part

    @property
    def size(self) -> BatchCounts:
        """Of these rows."""
        return BatchCounts(len(self.frames_each), sum(self.symbols_each), sum(self.frames_each))

    @property
    def of(self) -> BatchCounts:
        """Of the whole batch."""
        return self.whole or self.size

    @property
    def padded_samples(self) -> int:
        """Samples of all rows with their padding: what memory is in proportion to."""
        return len(self.frames_each) * self.wave.size(1)

    def part(self, start: int, stop: int) -> "Batch":
        """Rows `start` to `stop` with the padding of the whole, so that they are computed as they would be in it."""
        rows = slice(start, stop)
        cut = self._with(lambda tensor: tensor[rows])
        return replace(
            cut,
            symbols_each=self.symbols_each[rows],
            frames_each=self.frames_each[rows],
            first=self.first + start,
            whole=self.of,
        )

    def to(self, device: torch.device) -> "Batch":
        """The same batch on `device`, not waiting for the copy."""
        return self._with(lambda tensor: tensor.to(device, non_blocking=True))

    def share_memory(self) -> "Batch":
        """The same batch in memory that other processes can read.

        Raises:
            RuntimeError: there is not so much of it (/dev/shm).
        """
        return self._with(lambda tensor: tensor.share_memory_())  # type: ignore[no-untyped-call]

    def pin_memory(self) -> "Batch":
        """Called by the DataLoader where a GPU copies from pinned memory."""
        return self._with(lambda tensor: tensor.pin_memory())

    def _with(self, change: Callable[[Tensor], Tensor]) -> "Batch":
        return replace(
            self,
            text=change(self.text),
            text_lengths=change(self.text_lengths),
            wave=change(self.wave),
            frames=change(self.frames),
            speaker=None if self.speaker is None else change(self.speaker),
        )


class ClipDataset(Dataset[tuple[Clip, Tensor]]):
    """The clips with their waves, read when asked for."""

    def __init__(self, clips: Sequence[Clip]) -> None:
        self.clips = clips

    def __len__(self) -> int:
        return len(self.clips)

    def __getitem__(self, index: int) -> tuple[Clip, Tensor]:
        """A clip and its wave (n,) in -1..1."""
        clip = self.clips[index]
        try:
            samples = np.load(clip.path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise DamagedFileError(
                f"the prepared recording of {clip.id}, {clip.path}, cannot be read: {error}",
                f"remove {clip.path} and run the same command again: it is prepared anew",
            ) from error
        return clip, torch.from_numpy(samples.astype(np.float32) / _INT16)


class Collate:
    """Pads clips to a batch; knows the speakers' numbers."""

    def __init__(self, speakers: Sequence[str]) -> None:
        self.numbers = {name: number for number, name in enumerate(speakers)} if len(speakers) > 1 else {}

    def __call__(self, items: Sequence[tuple[Clip, Tensor]]) -> Batch:
        """Clips and waves -> one batch."""
        texts = [torch.tensor(clip.ids, dtype=torch.long) for clip, _ in items]
        waves = [wave for _, wave in items]
        text_lengths = [len(text) for text in texts]
        frames = [len(wave) // HOP for wave in waves]
        speaker = torch.tensor([self.numbers[clip.speaker or ""] for clip, _ in items]) if self.numbers else None
        return Batch(
            text=_padded(texts),
            text_lengths=torch.tensor(text_lengths),
            wave=_padded(waves),
            frames=torch.tensor(frames),
            speaker=speaker,
            symbols_each=tuple(text_lengths),
            frames_each=tuple(frames),
        )


@dataclass(frozen=True, kw_only=True)
class StepPlan:
    """What one step of the optimisers learns from."""

    epoch: int
    index: int  # of this step in its epoch
    last: bool  # of its epoch
    batches: tuple[tuple[int, ...], ...]  # indices of clips


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The steps of every epoch, each computed when asked for."""

    samples: tuple[int, ...]  # length of each clip
    batch_size: int
    accumulation: int
    max_batch_samples: int  # padded; 0 sets no limit
    seed: int

    def epoch(self, epoch: int) -> list[StepPlan]:
        """All steps of an epoch. Every clip is in exactly one of them."""
        random = np.random.default_rng([self.seed, epoch])
        blurred = np.asarray(self.samples) * random.uniform(1 - _BLUR, 1 + _BLUR, len(self.samples))
        order = np.argsort(blurred, kind="stable")
        n_chunks = -(-len(order) // self.batch_size)
        chunks = [part for chunk in np.array_split(order, n_chunks) for part in self._within_limit(chunk.tolist())]
        batches = [chunks[place] for place in random.permutation(len(chunks))]
        groups = [tuple(batches[at : at + self.accumulation]) for at in range(0, len(batches), self.accumulation)]
        return [
            StepPlan(epoch=epoch, index=index, last=index == len(groups) - 1, batches=group)
            for index, group in enumerate(groups)
        ]

    def steps_from(self, epoch: int, index: int) -> Iterator[StepPlan]:
        """Step `index` of `epoch`, and all that follow, without end."""
        while True:
            yield from self.epoch(epoch)[index:]
            epoch, index = epoch + 1, 0

    def indices_from(self, epoch: int, index: int) -> Iterator[list[int]]:
        """The same as lists of clips, a list a batch: what a DataLoader wants."""
        for step in self.steps_from(epoch, index):
            yield from (list(batch) for batch in step.batches)

    def _within_limit(self, chunk: list[int]) -> list[tuple[int, ...]]:
        """Halve until the padded size fits. A clip that is too long by itself stays, alone."""
        padded = len(chunk) * max(self.samples[clip] for clip in chunk)
        if len(chunk) == 1 or not self.max_batch_samples or padded <= self.max_batch_samples:
            return [tuple(chunk)]
        half = len(chunk) // 2
        return self._within_limit(chunk[:half]) + self._within_limit(chunk[half:])


def _padded(rows: Sequence[Tensor]) -> Tensor:
    return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
