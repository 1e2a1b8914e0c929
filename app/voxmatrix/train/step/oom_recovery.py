"""What is done when memory runs out in a training: the same step again, in parts that fit.

In this order: a batch is computed in smaller parts, one after the other; the networks keep less for the way back
(gradient checkpointing); the segments that are spoken and judged become shorter. The first two change nothing of what
is learned: losses and gradients are those of the whole batch. The last one is kept for the end because it does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from voxmatrix.compute.memory import missing_mib
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.tables.quality import SEGMENT_FRAMES
from voxmatrix.train.data.batches import Batch

#: Shorter ones would be over before the slowest discriminator has seen two of its periods.
SHORTEST_SEGMENT = SEGMENT_FRAMES // 4


@dataclass(kw_only=True)
class MemorySavings:
    """How a step is computed just now."""

    most_padded_samples: int | None = None  # in one part; None: a batch is one part
    checkpointed: bool = False
    segment_frames: int = SEGMENT_FRAMES


@dataclass(kw_only=True)
class OomRecovery:
    """Chooses the parts of batches, and gives way when memory runs out."""

    device: str
    savings: MemorySavings = field(default_factory=MemorySavings)
    trying: Batch | None = None

    def parts(self, batch: Batch) -> Iterator[Batch]:
        """The parts of a batch, as few and as equal as may be; an empty batch has none."""
        clips = batch.size.clips
        each = self._clips(batch)
        count = -(-clips // each)
        for number in range(count):
            start, stop = -(-clips * number // count), -(-clips * (number + 1) // count)  # the larger ones first
            self.trying = batch if count == 1 else batch.part(start, stop)
            yield self.trying

    def reduce(self, error: BaseException) -> str:
        """Give way one step after this error, and say in one sentence what is done now.

        Raises:
            MemoryExhaustedError: nothing is left to be given up.
        """
        failed = self.trying
        if failed is None:
            raise self._exhausted(error) from error
        clips, samples = failed.size.clips, failed.padded_samples
        if clips > 1:
            self.savings.most_padded_samples = samples // clips * (clips - clips // 2)
            done = f"batches are computed in parts of at most {clips - clips // 2} clips of that length"
        elif not self.savings.checkpointed:
            self.savings.checkpointed = True
            done = "less is kept for the way back (gradient checkpointing; a step takes about a third longer)"
        elif self.savings.segment_frames > SHORTEST_SEGMENT:
            self.savings.segment_frames //= 2
            done = f"segments of {self.savings.segment_frames} frames instead of {SEGMENT_FRAMES} are learned from"
            return f"{self._ran_out(error)}: {done}; this makes the voice learn a little differently"
        else:
            raise self._exhausted(error) from error
        return f"{self._ran_out(error)}: {done}; what is learned stays the same"

    def _clips(self, batch: Batch) -> int:
        clips = max(1, batch.size.clips)
        if self.savings.most_padded_samples is None:
            return clips
        return max(1, min(clips, self.savings.most_padded_samples // max(1, batch.wave.size(1))))

    def _ran_out(self, error: BaseException) -> str:
        missing = missing_mib(error)
        wanted = "" if missing is None else f", where {missing:.0f} MiB more were wanted"
        what = "" if self.trying is None else f" with {_described(self.trying)}"
        return f"{self.device} ran out of memory{what}{wanted}"

    def _exhausted(self, error: BaseException) -> MemoryExhaustedError:
        missing = missing_mib(error)
        wanted = "" if missing is None else f"; {missing:.0f} MiB were missing"
        what = "before the first part of a batch" if self.trying is None else f"at {_described(self.trying)}"
        return MemoryExhaustedError(
            f"{self.device} has too little memory for this training: {what}, with gradient checkpointing and "
            f"segments of {self.savings.segment_frames} frames{wanted}",
            "choose a smaller --quality, leave out long recordings with --max-seconds, free memory on the device "
            "(voxmatrix devices shows how much is free), or train with --device cpu",
        )


def _described(part: Batch) -> str:
    clips = part.size.clips
    return f"{clips} clip{'s' * (clips != 1)} of {part.wave.size(1)} samples"
