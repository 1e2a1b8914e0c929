"""The figures of a run: losses and speed between two reports, and their logs, metrics.csv and TensorBoard files."""

import csv
import io
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from voxmatrix.files import storage_errors, write_text
from voxmatrix.train.config import LOSSES
from voxmatrix.train.monitor.history import COLUMNS, read_rows

#: The speed is that of about this many seconds, so that a validation in them changes it little.
_SPEED_SECONDS = 60.0


class Meter:
    """Mean losses between two reports, and the speed, which includes validations and checkpoints."""

    def __init__(self) -> None:
        self._losses: dict[str, Tensor] = {}
        self._steps = 0  # since the last report
        self.restart_clock()

    def add(self, losses: Mapping[str, Tensor], samples: int) -> None:
        """Add a step with this many samples of audio, without waiting for the device."""
        self._losses = {name: self._losses[name] + loss if self._losses else loss for name, loss in losses.items()}
        self._steps += 1
        self._timed_steps += 1
        self._samples += samples

    def losses(self) -> dict[str, float]:
        """Mean losses since the last reset, read from the device in one go; empty if there were no steps.

        Those of discriminators that have not started, which are exactly zero, are left out: curves begin with them.
        """
        if not self._steps:
            return {}
        values = torch.stack([self._losses[name] for name in LOSSES]).tolist()
        return {name: value / self._steps for name, value in zip(LOSSES, values, strict=True) if value}

    def steps_per_second(self) -> float:
        """The speed of the last minute. Read the losses first, which waits for the device to finish."""
        _, steps, _ = self._reports[0]
        return (self._timed_steps - steps) / self._elapsed()

    def samples_per_second(self) -> float:
        """Samples of audio processed per second in the same time."""
        _, _, samples = self._reports[0]
        return (self._samples - samples) / self._elapsed()

    def reset(self) -> None:
        """Clear the losses, at a report."""
        self._losses, self._steps = {}, 0
        now = time.monotonic()
        self._reports.append((now, self._timed_steps, self._samples))
        while len(self._reports) > 1 and self._reports[1][0] <= now - _SPEED_SECONDS:
            self._reports.popleft()

    def restart_clock(self) -> None:
        """Measure the speed from now on; losses are kept."""
        self._timed_steps = self._samples = 0
        self._reports = deque([(time.monotonic(), 0, 0)])  # when, and the steps and samples until then

    def _elapsed(self) -> float:
        return max(time.monotonic() - self._reports[0][0], 1e-9)


class Metrics:
    """metrics.csv. Resuming from step N drops the rows after N, which will be written again."""

    def __init__(self, path: Path, step: int) -> None:
        rows = [row for row in read_rows(path) if int(row["step"]) <= step]
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_text(path, text.getvalue())
        self._path = path
        with storage_errors(path):
            self._file = path.open("a", encoding="utf-8", newline="")
        self._writer = csv.DictWriter(self._file, COLUMNS, lineterminator="\n")

    def write(self, row: Mapping[str, float | int]) -> None:
        """Append a row; missing columns stay empty."""
        with storage_errors(self._path):
            self._writer.writerow({name: _short(value) for name, value in row.items()})
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with storage_errors(self._path):
            self._file.close()


class TensorBoard:
    """TensorBoard files in `folder`."""

    def __init__(self, folder: Path, step: int) -> None:
        # Imported here because it takes a second or more and only training needs it.
        from torch.utils.tensorboard import SummaryWriter

        self._folder = folder
        with storage_errors(folder):
            self._writer: Any = SummaryWriter(str(folder), purge_step=step + 1 if step else None)

    def numbers(self, row: Mapping[str, float | int], step: int) -> None:
        """Add a point to the curve of each number."""
        with storage_errors(self._folder):
            for name, value in row.items():
                if name != "step":
                    self._writer.add_scalar(name, value, step)

    def sound(self, name: str, wave: Tensor, rate_hz: int, step: int) -> None:
        """Add audio: wave (n,)."""
        with storage_errors(self._folder):
            self._writer.add_audio(name, wave.unsqueeze(0), step, sample_rate=rate_hz)

    def picture(self, name: str, pixels: Any, step: int) -> None:
        """Add an image: uint8 (height, width, 3)."""
        with storage_errors(self._folder):
            self._writer.add_image(name, pixels, step, dataformats="HWC")

    def close(self) -> None:
        """Write pending data and close the files."""
        with storage_errors(self._folder):
            self._writer.close()


def _short(value: float | int) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"
