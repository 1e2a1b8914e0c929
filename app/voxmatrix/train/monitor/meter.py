"""Losses and speed between two reports. Losses stay on the device until they are read."""

import time
from collections.abc import Mapping

import torch
from torch import Tensor

from voxmatrix.train.step.step import LOSSES


class Meter:
    """Accumulates losses and time of steps; the clock can be paused."""

    def __init__(self) -> None:
        self._losses: dict[str, Tensor] = {}
        self._steps = 0
        self._timed_steps = 0
        self._samples = 0
        self._seconds = 0.0
        self._since = time.monotonic()

    def add(self, losses: Mapping[str, Tensor], samples: int) -> None:
        """Add a step with this many samples of audio, without waiting for the device."""
        self._losses = {name: self._losses[name] + loss if self._losses else loss for name, loss in losses.items()}
        self._steps += 1
        self._timed_steps += 1
        self._samples += samples

    def pause(self) -> None:
        """Stop the clock."""
        self._seconds += time.monotonic() - self._since

    def resume(self) -> None:
        """Restart the clock."""
        self._since = time.monotonic()

    def losses(self) -> dict[str, float]:
        """Mean losses since the last reset, read from the device in one go; empty if there were no steps.

        Those of discriminators that have not started, which are exactly zero, are left out: curves begin with them.
        """
        if not self._steps:
            return {}
        values = torch.stack([self._losses[name] for name in LOSSES]).tolist()
        return {name: value / self._steps for name, value in zip(LOSSES, values, strict=True) if value}

    def steps_per_second(self) -> float:
        """Speed since the clock was started. Read the losses first, which waits for the device to finish."""
        return self._timed_steps / max(self._elapsed(), 1e-9)

    def samples_per_second(self) -> float:
        """Samples of audio processed per second since the clock was started."""
        return self._samples / max(self._elapsed(), 1e-9)

    def reset(self) -> None:
        """Clear all values and restart the clock."""
        self.__init__()  # type: ignore[misc]

    def restart_clock(self) -> None:
        """Measure the speed from now on; losses are kept."""
        self._timed_steps, self._samples, self._seconds = 0, 0, 0.0
        self._since = time.monotonic()

    def _elapsed(self) -> float:
        return self._seconds + time.monotonic() - self._since
