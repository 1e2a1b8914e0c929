"""When something is done again during a training: a validation, a checkpoint that is kept."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

#: Unless their intervals are set, validations come every so many steps, and so do checkpoints that are kept …
VALIDATE_EVERY, CHECKPOINT_EVERY = 100, 500
#: … but each take at most this share of the time: the steps of a fast GPU are shorter than the files of a large voice.
MAX_SHARE = 0.05


@dataclass
class Interval:
    """When to do something again: every `requested` steps, or by default when it is worth its time."""

    requested: int | None
    default: int
    _took: float = 0.0
    _ended: float = -math.inf

    def is_due(self, step: int) -> bool:
        """Whether to do it after this step."""
        if self.requested is not None:
            return step % self.requested == 0
        return step % self.default == 0 and time.monotonic() - self._ended >= self._took / MAX_SHARE

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Do it: the block says how long it takes."""
        began = time.monotonic()
        yield
        self._ended = time.monotonic()
        self._took = self._ended - began
