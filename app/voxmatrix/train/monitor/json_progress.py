"""The progress of a training for programs: JSON lines on standard output, beside those for people on standard error."""

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

from voxmatrix.progress import Activity
from voxmatrix.train.monitor.progress import LineProgress, RunSummary, StepReport, Validation
from voxmatrix.wording import plain

#: Between two lines of progress.
_EVERY_SECONDS = 1.0


class JsonProgress(LineProgress):
    """Prints {"progress": …}, how far the training is, and {"metrics": …}, its losses."""

    def __init__(self, say: Callable[[str], str] = plain) -> None:
        super().__init__(sys.stderr, say=say)
        self._seconds_left: float | None = None
        self._printed_at = -math.inf

    def tuning(self, sentence: str) -> None:
        """Print what was measured."""
        super().tuning(sentence)
        _print_progress("tune", {"work": "measuring the device", "done": 0, "total": 0, "seconds_left": None})

    def started(self, start: RunSummary) -> None:
        """Print how far the run is already."""
        super().started(start)
        self._show(start.step)

    def stepped(self, step: int) -> None:
        """Print how far the run is."""
        if time.monotonic() - self._printed_at >= _EVERY_SECONDS:
            self._show(step)

    def reported(self, report: StepReport) -> None:
        """Print the losses."""
        super().reported(report)
        self._seconds_left = _number(report.seconds_left)
        metrics = {
            "step": report.step,
            "epoch": report.epoch,
            "losses": {name: _number(value) for name, value in report.losses.items()},
            "learning_rate": report.learning_rate,
            "steps_per_second": _number(report.steps_per_second),
            "audio_seconds_per_second": _number(report.audio_seconds_per_second),
        }
        _print({"metrics": metrics})

    def validated(self, validation: Validation) -> None:
        """Print the loss on the validation clips, and which words were not heard."""
        super().validated(validation)
        metrics: dict[str, Any] = {
            "step": validation.step,
            "validation_mel": _number(validation.mel),
            "best": validation.best,
            "best_step": validation.best_step,
        }
        if validation.words_wrong is not None:
            metrics["words_wrong"] = _number(validation.words_wrong)
        _print({"metrics": metrics})

    def _show(self, step: int) -> None:
        self._printed_at = time.monotonic()
        facts = {"work": "training", "done": step, "total": self._total, "seconds_left": self._seconds_left}
        _print_progress("train", facts)


def _number(value: float) -> float | None:
    """JSON has neither NaN nor infinity."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _print_progress(key: Activity, facts: dict[str, Any]) -> None:
    _print({"progress": {"key": key, **facts}})


def _print(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
