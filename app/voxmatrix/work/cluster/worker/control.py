"""What the two processes of a worker tell each other, as files in a folder of their own: the one that talks to the
broker says what to stop, and the one that speaks says what it is doing. Both may be killed at any moment.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class SpeakerStatus:
    """What the process that speaks is doing."""

    device_type: str = ""  # of the voice that was opened last: cpu, cuda …; "" before the first one
    cached_models: tuple[str, ...] = ()  # the open voices: NAME_cuda
    audio_seconds_per_second: float | None = None
    busy_with: str | None = None


class ControlFolder:
    """The folder of one worker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stop = folder / "stop"
        self._cancelled = folder / "cancelled"
        self._status = folder / "status.json"
        self._last_status = SpeakerStatus()
        self._read = 0
        self._indices: dict[str, set[int]] = {}

    # By the process that talks to the broker --------------------------------------------------------------------------

    def stop(self) -> None:
        """Nothing more is to be spoken after the sentence in progress."""
        self._stop.touch()

    def cancel(self, task: str, indices: Sequence[int]) -> None:
        """These units of a task need not be spoken."""
        with self._cancelled.open("a") as file:
            file.write(json.dumps([task, *indices]) + "\n")

    def status(self) -> SpeakerStatus:
        """What the other process does, as far as it has said."""
        try:
            told: Mapping[str, Any] = json.loads(self._status.read_text())
            self._last_status = SpeakerStatus(**{**told, "cached_models": tuple(told["cached_models"])})
        except (OSError, ValueError):
            pass  # it has said nothing yet
        return self._last_status

    # By the process that speaks ---------------------------------------------------------------------------------------

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stop.exists()

    def cancelled(self, task: str) -> set[int]:
        """The units of a task that need not be spoken."""
        if self._cancelled.exists() and self._cancelled.stat().st_size > self._read:
            with self._cancelled.open("rb") as file:
                file.seek(self._read)
                complete = file.read().rpartition(b"\n")[0]
            self._read += len(complete) + 1 if complete else 0
            for line in complete.splitlines():
                name, *indices = json.loads(line)
                self._indices.setdefault(name, set()).update(indices)
        return self._indices.get(task, set())

    def forget(self, task: str) -> None:
        """The task has ended."""
        self._indices.pop(task, None)

    def tell(self, status: SpeakerStatus) -> None:
        """Say what this process does."""
        beside = self._status.with_suffix(".new")
        beside.write_text(json.dumps(asdict(status)))
        beside.replace(self._status)
