"""Losses and speed between two reports. Losses stay on the device until somebody reads them."""

import time
from collections.abc import Mapping

import torch
from torch import Tensor

from voxmatrix.train.step.step import LOSSES


class Meter:
    """Sums up steps; the clock can be stopped for what is not training."""

    def __init__(self) -> None:
        self._losses: dict[str, Tensor] = {}
        self._steps = 0
        self._samples = 0
        self._seconds = 0.0
        self._since = time.monotonic()

    def add(self, losses: Mapping[str, Tensor], samples: int) -> None:
        """One step, that learned from so many samples of audio. Does not wait for the device."""
        self._losses = {name: self._losses[name] + loss if self._losses else loss for name, loss in losses.items()}
        self._steps += 1
        self._samples += samples

    def pause(self) -> None:
        """What follows is not training."""
        self._seconds += time.monotonic() - self._since

    def go_on(self) -> None:
        """Training again."""
        self._since = time.monotonic()

    def losses(self) -> dict[str, float]:
        """Means since the last reset, read from the device at once; nothing when there was no step."""
        if not self._steps:
            return {}
        values = torch.stack([self._losses[name] for name in LOSSES]).tolist()
        return {name: value / self._steps for name, value in zip(LOSSES, values, strict=True)}

    def steps_per_second(self) -> float:
        """Since the last reset. Read the losses first: until then the device may still be at it."""
        return self._steps / max(self._elapsed(), 1e-9)

    def samples_per_second(self) -> float:
        """Samples of audio learned from a second, since the last reset."""
        return self._samples / max(self._elapsed(), 1e-9)

    def reset(self) -> None:
        """Begin again."""
        self.__init__()  # type: ignore[misc]

    def _elapsed(self) -> float:
        return self._seconds + time.monotonic() - self._since
