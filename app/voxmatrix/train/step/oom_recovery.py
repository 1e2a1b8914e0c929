"""Recover from running out of memory in a training step: repeat the step with less memory.

In this order: release the CUDA graphs; compute the batch in smaller parts, one after the other; enable gradient
checkpointing; generate shorter segments. The first three do not affect the result: losses and gradients are those of
the whole batch. The last one does, and is therefore the last resort.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from voxmatrix.compute.memory import request_of
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.tables.quality import SEGMENT_FRAMES
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.step.step import PartGradients

#: Shorter segments would be less than two periods of the slowest discriminator.
MIN_SEGMENT = SEGMENT_FRAMES // 4


@dataclass(kw_only=True)
class MemorySavings:
    """How steps are currently computed."""

    graphs: PartGradients | None = None  # computes gradients with CUDA graphs; None: without
    max_padded_samples: int | None = None  # of one part; None: the whole batch is one part
    checkpointed: bool = False
    segment_frames: int = SEGMENT_FRAMES


@dataclass(kw_only=True)
class OomRecovery:
    """Choose the parts of batches, and reduce memory use when it runs out."""

    device: str
    savings: MemorySavings = field(default_factory=MemorySavings)
    current: Batch | None = None  # the part being computed

    def parts(self, batch: Batch) -> Iterator[Batch]:
        """The parts of a batch, as few and as equal as possible; none for an empty batch."""
        clips = batch.size.clips
        count = -(-clips // self._clips_per_part(batch))
        for number in range(count):
            start, stop = -(-clips * number // count), -(-clips * (number + 1) // count)  # the larger parts first
            self.current = batch if count == 1 else batch.part(start, stop)
            yield self.current

    def reduce(self, error: BaseException) -> str:
        """Reduce memory use by one measure after this error; the result describes it in words.

        Raises:
            MemoryExhaustedError: there is no further measure.
        """
        failed = self.current
        if self.savings.graphs is not None:
            self.savings.graphs = None
            return f"{self._out_of_memory(error)}: CUDA graphs are now off; the result of the training is the same"
        if failed is None:
            raise self._exhausted(error) from error
        clips, samples = failed.size.clips, failed.padded_samples
        if clips > 1:
            self.savings.max_padded_samples = samples // clips * (clips - clips // 2)
            measure = f"batches are now computed in parts of at most {clips - clips // 2} clips of that length"
        elif not self.savings.checkpointed:
            self.savings.checkpointed = True
            measure = "gradient checkpointing is now enabled (a step takes about a third longer)"
        elif self.savings.segment_frames > MIN_SEGMENT:
            self.savings.segment_frames //= 2
            measure = f"segments of {self.savings.segment_frames} frames instead of {SEGMENT_FRAMES} are now used"
            return f"{self._out_of_memory(error)}: {measure}; this slightly changes the result of the training"
        else:
            raise self._exhausted(error) from error
        return f"{self._out_of_memory(error)}: {measure}; the result of the training is the same"

    def _clips_per_part(self, batch: Batch) -> int:
        clips = max(1, batch.size.clips)
        if self.savings.max_padded_samples is None:
            return clips
        return max(1, min(clips, self.savings.max_padded_samples // max(1, batch.wave.size(1))))

    def _out_of_memory(self, error: BaseException) -> str:
        what = "" if self.current is None else f" with {_describe(self.current)}"
        return f"{self.device} ran out of memory{what}{request_of(error)}"

    def _exhausted(self, error: BaseException) -> MemoryExhaustedError:
        less = "choose a smaller `quality`, exclude long recordings with `max_seconds`, "
        free = "free memory on the device (voxmatrix devices shows how much is free)"
        what = "before the first part of a batch" if self.current is None else f"with {_describe(self.current)}"
        return MemoryExhaustedError(
            f"{self.device} has too little memory for this training: it ran out {what}, gradient checkpointing and "
            f"segments of {self.savings.segment_frames} frames{request_of(error)}",
            less + (f"or {free}" if self.device == "cpu" else f"{free}, or train with `device=cpu`"),
        )


def _describe(part: Batch) -> str:
    clips = part.size.clips
    return f"{clips} clip{'s' * (clips != 1)} of {part.wave.size(1)} samples"
