"""Show the progress of a training. The loop only knows the Progress protocol, not terminals."""

import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from voxmatrix.errors import VoxmatrixError
from voxmatrix.machine.sensors.reading import Reading, describe_load
from voxmatrix.wording import plain, pluralise, printable

#: Between two updates of a bar: as often as rich redraws it.
_BAR_SECONDS = 0.25


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """A description of the training that is about to start."""

    out: Path
    quality: str
    device: str
    precision: str
    clips: int
    validation_clips: int
    audio_seconds: float
    batch_size: int
    accumulation: int
    steps_per_epoch: int
    workers: int
    workers_reason: str
    threads: int
    step: int  # steps already done
    total_steps: int  # at the end of this training; an estimate if only epochs are given
    came_from: str  # the origin of the weights, in words
    decisions: tuple[str, ...] = ()  # main settings of the plan, one per line: setting, value, reason


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """Losses and speed: means since the last report."""

    step: int
    epoch: int
    losses: Mapping[str, float]
    learning_rate: float
    steps_per_second: float
    audio_seconds_per_second: float
    seconds_left: float
    reading: Reading | None = None  # of the device; None if nothing could be read


@dataclass(frozen=True, kw_only=True)
class Validation:
    """What the voice was like at a validation."""

    step: int
    mel: float  # distance of the log-mels of the validation clips
    best: bool  # no earlier one was lower
    best_step: int  # of the lowest until now
    words_wrong: float | None = None  # of the words of some sentences; None: they were not heard


class Progress(Protocol):
    """Receives the events of a training."""

    def tuning(self, sentence: str) -> None:
        """`--tune` measured something; before all other events."""

    def started(self, start: RunSummary) -> None:
        """Training is about to start."""

    def stepped(self, step: int) -> None:
        """A step is done."""

    def due(self) -> bool:
        """Whether to report between two log entries too: reading the losses waits for the device."""
        ...

    def reported(self, report: StepReport) -> None:
        """Losses and speed are available, every `log_every` steps and when they are due."""

    def validated(self, validation: Validation) -> None:
        """The voice was evaluated on the validation clips."""

    def saved(self, path: Path, step: int) -> None:
        """A checkpoint was written."""

    def warned(self, sentence: str) -> None:
        """A warning for the user."""

    def failed(self, error: VoxmatrixError) -> None:
        """The training ends with an error that nobody else shows."""

    def ended(self) -> None:
        """No further events follow."""


class QuietProgress:
    """Shows nothing but warnings. `say` names the settings in them."""

    def __init__(self, say: Callable[[str], str] = plain) -> None:
        self._say = say

    def tuning(self, sentence: str) -> None:
        """Ignore."""

    def started(self, start: RunSummary) -> None:
        """Ignore."""

    def stepped(self, step: int) -> None:
        """Ignore."""

    def due(self) -> bool:
        """Never."""
        return False

    def reported(self, report: StepReport) -> None:
        """Ignore."""

    def validated(self, validation: Validation) -> None:
        """Ignore."""

    def saved(self, path: Path, step: int) -> None:
        """Ignore."""

    def warned(self, sentence: str) -> None:
        """Print to standard error."""
        print(f"warning: {self._say(sentence)}", file=sys.stderr, flush=True)  # noqa: T201

    def failed(self, error: VoxmatrixError) -> None:
        """Print to standard error."""
        text = self._say(f"voxmatrix: {error.problem}\n  → {error.remedy}")
        print(printable(text), file=sys.stderr, flush=True)  # noqa: T201

    def ended(self) -> None:
        """Ignore."""


class LineProgress(QuietProgress):
    """Lines of text, with at most one report every few seconds; used without a terminal."""

    def __init__(self, stream: TextIO, every_seconds: float = 5.0, say: Callable[[str], str] = plain) -> None:
        super().__init__(say)
        self._stream = stream
        self._every_seconds = every_seconds
        self._reported_at = -math.inf
        self._total = 0

    def tuning(self, sentence: str) -> None:
        """Print a line."""
        self._print(sentence)

    def started(self, start: RunSummary) -> None:
        """Print the settings of the training."""
        self._total = start.total_steps
        for line in describe(start):
            self._print(line)

    def due(self) -> bool:
        """Whether a line would be printed."""
        return time.monotonic() - self._reported_at >= self._every_seconds

    def reported(self, report: StepReport) -> None:
        """Print a line if it is time."""
        if self.due() or report.step == self._total:
            self._reported_at = time.monotonic()
            self._print(f"step {report.step}/{self._total}  {figures(report)}")

    def validated(self, validation: Validation) -> None:
        """Print a line."""
        better = "the best so far" if validation.best else f"no better since step {validation.best_step}"
        words = validation.words_wrong
        heard = "" if words is None else f", {words:.0%} of the words wrong".replace("%", " %")
        self._print(f"step {validation.step}: validation mel {validation.mel:.3f}, {better}{heard}")

    def saved(self, path: Path, step: int) -> None:
        """Print a line."""
        self._print(f"step {step}: saved {path}")

    def warned(self, sentence: str) -> None:
        """Print a line."""
        self._print(f"warning: {sentence}")

    def _print(self, line: str) -> None:
        print(self._say(line), file=self._stream, flush=True)


class BarProgress(LineProgress):
    """On a terminal: a progress bar with speed and time left, losses below it, and all other lines above."""

    def __init__(self, stream: TextIO, say: Callable[[str], str] = plain) -> None:
        super().__init__(stream, every_seconds=_BAR_SECONDS, say=say)
        from rich.console import Console, Group
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.text import Text

        self._bar = Progress(MofNCompleteColumn(), BarColumn(bar_width=20), TextColumn("{task.description}"))
        self._losses = Text()
        self._live = Live(Group(self._bar, self._losses), console=Console(file=stream))
        self._task: Any = None

    def started(self, start: RunSummary) -> None:
        """Print the settings and start the bar."""
        super().started(start)
        self._task = self._bar.add_task("", total=start.total_steps, completed=start.step)
        self._live.start()

    def stepped(self, step: int) -> None:
        """Advance the bar."""
        self._bar.update(self._task, completed=step)

    def reported(self, report: StepReport) -> None:
        """Update the text beside and below the bar."""
        self._reported_at = time.monotonic()
        self._bar.update(self._task, description=f"{speed(report)}  {clock(report.seconds_left)} left")
        below = [f"epoch {report.epoch}  {losses(report)}", describe_load(report.reading)]
        self._losses.plain = "\n".join(filter(None, below))

    def ended(self) -> None:
        """Stop updating the bar."""
        self._live.stop()

    def _print(self, line: str) -> None:
        self._live.console.print(self._say(line), highlight=False, markup=False, soft_wrap=True)


def make_progress(stream: TextIO | None = None, say: Callable[[str], str] = plain) -> Progress:
    """A bar on a terminal, plain lines elsewhere; on standard error by default."""
    stream = stream or sys.stderr
    return BarProgress(stream, say) if stream.isatty() else LineProgress(stream, say=say)


def describe(start: RunSummary) -> list[str]:
    """The settings of a training, in lines."""
    effective = f"batch {start.batch_size}" + (f" × {start.accumulation}" if start.accumulation > 1 else "")
    progress = f"{start.step} of {start.total_steps} steps done"
    if start.step >= start.total_steps:
        progress = f"{start.step} steps done, {start.total_steps} requested: nothing is left to do"
    return [
        f"training {start.quality} into {start.out}: {start.came_from}",
        f"{start.clips} clips ({start.audio_seconds / 60:.1f} min), {start.validation_clips} for validation, "
        f"{effective}, {pluralise(start.steps_per_epoch, 'step')} per epoch, {progress}",
        f"on {start.device}, precision {start.precision}, {pluralise(start.threads, 'thread')}, "
        f"{pluralise(start.workers, 'loading worker')} ({start.workers_reason})",
        *start.decisions,
    ]


def figures(report: StepReport) -> str:
    """A report in one line."""
    parts = (f"epoch {report.epoch}", losses(report), speed(report), f"{clock(report.seconds_left)} left")
    return "  ".join(filter(None, (*parts, describe_load(report.reading))))


def losses(report: StepReport) -> str:
    """The losses: mel 0.512  kl 1.204 …"""
    return "  ".join(f"{name} {value:.3f}" for name, value in report.losses.items())


def speed(report: StepReport) -> str:
    """Steps and seconds of audio per second."""
    return f"{report.steps_per_second:.2f} steps/s  {report.audio_seconds_per_second:.1f} s audio/s"


def clock(seconds: float) -> str:
    """A duration as 12:05 or 3:02:59."""
    minutes, second = divmod(max(0, round(seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
