"""What a person sees of a training. The loop calls a Watch and knows nothing of terminals."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from voxmatrix.machine.sensors.reading import Reading


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """What is about to be trained, and with what."""

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
    step: int  # already done
    total_steps: int  # at the end of this training; an estimate when only epochs are given
    came_from: str  # where the weights come from: a sentence
    decisions: tuple[str, ...] = ()  # what the plan says, a line each: setting, value, reason


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """How it goes: means since the last report."""

    step: int
    epoch: int
    losses: Mapping[str, float]
    learning_rate: float
    steps_per_second: float
    audio_seconds_per_second: float
    seconds_left: float
    reading: Reading | None = None  # of the device; None where nothing could be read


class Progress(Protocol):
    """Told of everything; draws what it likes."""

    def tuning(self, sentence: str) -> None:
        """Something that `--tune` measured, before all else."""

    def started(self, start: RunSummary) -> None:
        """Training is about to begin."""

    def stepped(self, step: int) -> None:
        """One more step is done."""

    def reported(self, report: StepReport) -> None:
        """Losses and speed, every `log_every` steps."""

    def validated(self, step: int, mel: float, best: bool) -> None:
        """The voice was heard on clips it does not learn from."""

    def saved(self, path: Path, step: int) -> None:
        """A checkpoint, a sample: a file is there."""

    def warned(self, sentence: str) -> None:
        """Something a person should know."""

    def ended(self) -> None:
        """Nothing follows."""


class QuietProgress:
    """Says nothing but warnings."""

    def tuning(self, sentence: str) -> None:
        """Nothing."""

    def started(self, start: RunSummary) -> None:
        """Nothing."""

    def stepped(self, step: int) -> None:
        """Nothing."""

    def reported(self, report: StepReport) -> None:
        """Nothing."""

    def validated(self, step: int, mel: float, best: bool) -> None:
        """Nothing."""

    def saved(self, path: Path, step: int) -> None:
        """Nothing."""

    def warned(self, sentence: str) -> None:
        """One line on standard error."""
        print(f"warning: {sentence}", file=sys.stderr, flush=True)  # noqa: T201

    def ended(self) -> None:
        """Nothing."""


class LineProgress(QuietProgress):
    """Lines of text, where there is no terminal: at most one report every few seconds."""

    def __init__(self, stream: TextIO, every_seconds: float = 5.0) -> None:
        self._stream = stream
        self._every_seconds = every_seconds
        self._said_at = -every_seconds
        self._total = 0

    def tuning(self, sentence: str) -> None:
        """One line."""
        self._say(sentence)

    def started(self, start: RunSummary) -> None:
        """What is trained, with what, and why so."""
        self._total = start.total_steps
        for line in describe(start):
            self._say(line)

    def reported(self, report: StepReport) -> None:
        """One line."""
        now = time.monotonic()
        if now - self._said_at >= self._every_seconds or report.step == self._total:
            self._said_at = now
            self._say(f"step {report.step}/{self._total}  {figures(report)}")

    def validated(self, step: int, mel: float, best: bool) -> None:
        """One line."""
        self._say(f"step {step}: validation mel {mel:.3f}" + (", the best so far" if best else ""))

    def saved(self, path: Path, step: int) -> None:
        """One line."""
        self._say(f"step {step}: saved {path}")

    def warned(self, sentence: str) -> None:
        """One line."""
        self._say(f"warning: {sentence}")

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class BarProgress(LineProgress):
    """A bar with speed and time left, and the losses below it, on a terminal; the other lines pass above."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        from rich.console import Console, Group
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.text import Text

        self._bar = Progress(MofNCompleteColumn(), BarColumn(bar_width=20), TextColumn("{task.description}"))
        self._losses = Text()
        self._live = Live(Group(self._bar, self._losses), console=Console(file=stream))
        self._task: Any = None

    def started(self, start: RunSummary) -> None:
        """The lines, then the bar below them."""
        super().started(start)
        self._task = self._bar.add_task("", total=start.total_steps, completed=start.step)
        self._live.start()

    def stepped(self, step: int) -> None:
        """The bar grows."""
        self._bar.update(self._task, completed=step)

    def reported(self, report: StepReport) -> None:
        """Beside the bar and below it."""
        self._bar.update(self._task, description=f"{speed(report)}  {clock(report.seconds_left)} left")
        below = [f"epoch {report.epoch}  {losses(report)}", load(report.reading)]
        self._losses.plain = "\n".join(filter(None, below))

    def ended(self) -> None:
        """The bar stays as it is."""
        self._live.stop()

    def _say(self, line: str) -> None:
        self._live.console.print(line, highlight=False, markup=False, soft_wrap=True)


def make_progress(stream: TextIO | None = None) -> Progress:
    """A bar on a terminal, plain lines elsewhere; standard error unless told otherwise."""
    stream = stream or sys.stderr
    return BarProgress(stream) if stream.isatty() else LineProgress(stream)


def describe(start: RunSummary) -> list[str]:
    """The resolved settings, before the first step."""
    effective = f"batch {start.batch_size}" + (f" × {start.accumulation}" if start.accumulation > 1 else "")
    return [
        f"training {start.quality} into {start.out}: {start.came_from}",
        f"{start.clips} clips ({start.audio_seconds / 60:.1f} min), {start.validation_clips} for validation, "
        f"{effective}, {start.steps_per_epoch} steps an epoch, {start.step} of {start.total_steps} steps done",
        f"on {start.device}, precision {start.precision}, {start.threads} threads, {start.workers} loading workers "
        f"({start.workers_reason})",
        *start.decisions,
    ]


def figures(report: StepReport) -> str:
    """One line of numbers."""
    parts = (f"epoch {report.epoch}", losses(report), speed(report), f"{clock(report.seconds_left)} left")
    return "  ".join(filter(None, (*parts, load(report.reading))))


def losses(report: StepReport) -> str:
    """What the networks were told about their work."""
    return "  ".join(f"{name} {value:.3f}" for name, value in report.losses.items())


def speed(report: StepReport) -> str:
    """Steps, and seconds of recordings learned from, a second."""
    return f"{report.steps_per_second:.2f} steps/s  {report.audio_seconds_per_second:.1f} s audio/s"


def clock(seconds: float) -> str:
    """12:05 or 3:02:59."""
    minutes, second = divmod(max(0, round(seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def load(reading: Reading | None) -> str:
    """How busy, full and hot the device is, as far as that is known: GPU 93 %  11.2/12.0 GiB  71 °C."""
    if reading is None:
        return ""
    used, total = reading.used_mib, reading.total_mib
    known = (
        None if reading.utilisation is None else f"{reading.utilisation:.0%}".replace("%", " %"),
        None if used is None or total is None else f"{used / 1024:.1f}/{total / 1024:.1f} GiB",
        None if reading.temperature_c is None else f"{reading.temperature_c:.0f} °C",
    )
    figures = "  ".join(filter(None, known))
    return f"{'CPU' if reading.device == 'cpu' else 'GPU'} {figures}" if figures else ""
