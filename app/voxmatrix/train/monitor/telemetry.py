"""Log the load of the device during a training, one JSON object per line, and warn about problems.

It does not slow the training down. A truncated last line is dropped when the file is opened again.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from voxmatrix.files import storage_errors, write_text
from voxmatrix.machine.sensors.reading import BackgroundSensor, Reading
from voxmatrix.plan.pressure import PressureMonitor, memory_remedy
from voxmatrix.train.monitor.device_sensor import device_sensor
from voxmatrix.train.monitor.metrics import TensorBoard
from voxmatrix.train.monitor.progress import Progress
from voxmatrix.train.run import Run


class JsonLines:
    """A file of objects, each with a "step". Resuming from step N drops the lines after N."""

    def __init__(self, path: Path, step: int) -> None:
        """Open the file for lines after step `step`.

        Raises:
            UnreachableError: the disk is full or not writable.
        """
        write_text(path, "".join(f"{line}\n" for line in _lines(path) if _is_until(line, step)))
        self._path = path
        with storage_errors(path):
            # Unbuffered, so that closing has nothing left to write and cannot fail again.
            self._file = path.open("ab", buffering=0)

    def write(self, row: Mapping[str, Any]) -> None:
        """Append a line, unbuffered.

        Raises:
            UnreachableError: the disk is full or not writable.
        """
        rest = memoryview(json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")
        with storage_errors(self._path):
            while rest:  # a nearly full disk may accept only a part
                rest = rest[self._file.write(rest) or 0 :]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _lines(path: Path) -> list[str]:
    """The complete lines of a file: a power cut may have truncated the last one."""
    if not path.is_file():
        return []
    return path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]


def _is_until(line: str, step: int) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # not written by us
        return False
    row_step = row.get("step") if isinstance(row, dict) else None
    return type(row_step) is int and row_step <= step


FILE = "telemetry.jsonl"
#: Fields of a reading, in the order of a line.
_FIGURES = ("used_mib", "total_mib", "utilisation", "temperature_c", "power_w")


class Telemetry:
    """Readings of one device. `machine.sensors.reading` takes them in a thread, so nothing here waits for a driver."""

    def __init__(
        self,
        *,
        device: str,
        sampling: BackgroundSensor,
        lines: JsonLines,
        board: TensorBoard,
        pressure: PressureMonitor,
        warn: Callable[[str], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._device = device
        self._sampling = sampling
        self._lines = lines
        self._board = board
        self._pressure = pressure
        self._warn = warn
        self._now = now

    def report(self, step: int, steps_per_second: float) -> Reading | None:
        """Log and return the latest reading, after warning about new problems.

        Raises:
            UnreachableError: the disk is full.
        """
        for finding in self._pressure.assess(self._sampling.new()):
            self._warn(f"{finding.problem}\n  → {finding.remedy}")
        reading = self._sampling.latest()
        self._record(step, reading, steps_per_second)
        return reading

    def latest(self) -> Reading | None:
        """The latest reading, without logging it."""
        return self._sampling.latest()

    def close(self) -> None:
        """Stop taking readings, and close the file."""
        self._sampling.close()
        self._lines.close()

    def _record(self, step: int, reading: Reading | None, steps_per_second: float) -> None:
        values = {} if reading is None else asdict(reading)
        figures = {name: _number(values.get(name)) for name in _FIGURES}
        self._lines.write(
            {
                "time": self._now().isoformat(timespec="milliseconds"),
                "step": step,
                "device": values.get("device", self._device),
                **figures,
                "steps_per_second": _number(steps_per_second),
            }
        )
        curves = {f"telemetry/{name}": value for name, value in figures.items() if value is not None}
        self._board.numbers(curves, step)


def make_telemetry(run: Run, progress: Progress, board: TensorBoard) -> Telemetry:
    """Start taking readings of the device of the run.

    Raises:
        UnreachableError: the disk is full.
    """
    lines = JsonLines(run.out / FILE, run.state.position.step)
    return Telemetry(
        device=run.plan.device.value,
        sampling=BackgroundSensor(device_sensor(run.device)),
        lines=lines,
        board=board,
        pressure=PressureMonitor(memory_remedy(str(run.out))),
        warn=progress.warned,
    )


def _number(value: Any) -> float | int | None:
    """A number for JSON with six significant digits, or None."""
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(f"{value:.6g}")
