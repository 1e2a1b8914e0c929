"""What the ways to a new voice share: a folder that belongs to one source, learning, and how an interruption ends."""

import json
import pickle
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import torch

from voxmatrix.compute.memory import request_of
from voxmatrix.distil.trainer import GOOD_STEPS, Limits, Trainer, TrainerState, train
from voxmatrix.errors import DamagedFileError, InterruptedRunError, MemoryExhaustedError, UsageError
from voxmatrix.files import digest, read_errors, read_text_or_empty, remove_leftovers, write_text
from voxmatrix.piper.export.export import check_free
from voxmatrix.progress import Activity, OnProgress

#: Speech to learn from. Sentences not learned from were 2.7 dB worse than the others with 30 minutes, 0.5 dB with 120.
MIN_SPEECH_MINUTES, MAX_SPEECH_MINUTES = 0.5, 180.0
#: What a step sees of it, and how much there is for each minute of learning. Speaking that takes some 20 seconds.
STEP_SECONDS, SPEECH_PER_MINUTE = 3.0, 4.0
#: Opens a progress bar, by what is done, its title, what to show beside it, and what is done already.
Show = Callable[[Activity, str, Callable[[], str], int], AbstractContextManager[OnProgress]]
#: Says something to whoever waits.
Tell = Callable[[str], None]
#: Gets each evaluation: the step, the mel distance of sentences only compared, and the share of frames in tune.
Evaluated = Callable[[int, float, float], None]
#: Steps of this command after which it is said how long it will take.
_MEASURED_STEPS = 100
#: The digest of the voice that was written of what is learned in a folder.
_WRITTEN = "written.sha256"


def check_out(out: Path, made: Path, *, force: bool) -> None:
    """Check that a voice may be written: none is there, or one that was learned in the folder of `made`.

    A command may have been killed between the two files of the voice, or between these and `keep_written`.

    Raises:
        UsageError: as `check_free`.
    """
    is_ours = made.exists() and not out.exists()  # of both files, it comes last
    if out.is_file() and made.parent.is_dir():
        with read_errors(out):
            found = digest(out)
        is_ours = found == read_text_or_empty(made.parent / _WRITTEN) or (made.exists() and found == digest(made))
    check_free(out, force=force or is_ours)


def keep_written(folder: Path, out: Path) -> None:
    """Keep in the folder which voice was written from it, so that a later command may replace it by a better one."""
    write_text(folder / _WRITTEN, digest(out))


def source_of(voice: Path, text: Path | None) -> str:
    """What is learned from: the same for the same content."""
    with read_errors(text or voice):
        return json.dumps({"voice": digest(voice), "text": digest(text) if text else ""})


def claim(folder: Path, source: str, *, fresh: bool) -> None:
    """Make sure that what is in the folder, which is locked, was learned from the same voice and text.

    Raises:
        UsageError: it was learned from others.
        DamagedFileError: the file that says so is damaged.
    """
    remove_leftovers(folder)
    record = folder / "source.json"
    if fresh:
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != ".lock":
                path.unlink()
    elif record.exists():
        _check_source(record, source)
    write_text(record, source)


def _check_source(record: Path, source: str) -> None:
    with read_errors(record):
        found = record.read_text(encoding="utf-8", errors="replace")
    if found == source:
        return
    try:
        json.loads(found)
    except ValueError as error:
        raise DamagedFileError(
            f"{record} is damaged: it does not say any more which voice and text were learned from",
            "if it was this voice and text, remove that file to continue; else choose another `out`",
        ) from error
    raise UsageError(
        f"{record.parent} belongs to another voice or text", "add `fresh` to start again, or choose another `out`"
    )


@contextmanager
def interruptible(kept: str, goal: str) -> Iterator[None]:
    """End Ctrl-C with what is kept, and how to go on."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise InterruptedRunError(f"interrupted; {kept}", f"run the same command again to {goal}") from error


def out_of_memory(device: torch.device, folder: Path, error: BaseException) -> MemoryExhaustedError:
    """The error of a device that ran out of memory."""
    return MemoryExhaustedError(
        f"{device} ran out of memory{request_of(error)}; what was learned is kept in {folder}",
        "free memory on the device, or set `device=cpu`, and run the same command again to continue",
    )


def speech_seconds(limits: Limits) -> int:
    """As much speech as can be learned from in that time."""
    minutes = limits.steps * STEP_SECONDS / 60 or limits.minutes * SPEECH_PER_MINUTE or MAX_SPEECH_MINUTES
    return round(60 * min(MAX_SPEECH_MINUTES, max(MIN_SPEECH_MINUTES, minutes)))


def restore(training: Trainer[Any], checkpoint: Path) -> None:
    """Let a training continue from its checkpoint, if there is one.

    Raises:
        DamagedFileError: it is of another network, or damaged.
    """
    if checkpoint.exists():
        try:
            training.restore(torch.load(checkpoint, map_location="cpu", weights_only=True))
        except (KeyError, ValueError, RuntimeError, TypeError, EOFError, pickle.UnpicklingError) as error:
            raise DamagedFileError(
                f"{checkpoint} is damaged, or was written by another version",
                "remove that file to learn again from what was spoken, or add `fresh` to speak it again, too",
            ) from error


def learn(
    training: Trainer[Any],
    limits: Limits,
    checkpoint: Path,
    show: Show,
    *,
    tell: Tell | None = None,
    preview: Callable[[], None] | None = None,
    evaluated: Evaluated | None = None,
) -> None:
    """Train to the end of the limits, with a progress bar. Raises what `train` raises.

    Where a voice is learned until it is good, somebody is told how long that will take here.
    """
    note = ""
    began, first = time.monotonic(), training.position.step
    untold = limits.good > 0 and not training.position.ends_at and not limits.steps

    def report(position: TrainerState, loss: float) -> None:
        nonlocal note, untold
        so_far = ""
        if position.mels:
            so_far = f"  mel distance {position.mels[-1]:.3f}, {position.f0_accuracy:.0%} in tune"
        note = f"loss {loss:.3f}{so_far}"
        if evaluated and position.mels and position.step % limits.evaluate_every == 0:
            evaluated(position.step, position.mels[-1], position.f0_accuracy)
        progress(position.step, position.expected_steps(limits))
        if tell and untold and position.step - first >= _MEASURED_STEPS:
            untold = False
            tell(forecast(position.step, (time.monotonic() - began) / (position.step - first), limits))

    with show("learn", "learning", lambda: note, training.position.step) as progress:
        train(training, limits, checkpoint, report, preview)


def forecast(step: int, step_seconds: float, limits: Limits) -> str:
    """How long it takes to learn until a voice is good, by the steps that other teachings took."""
    least, most = (max(0, steps - step) * step_seconds / 60 for steps in GOOD_STEPS)
    pace = f"this computer learns {60 / step_seconds:.0f} steps a minute; other voices were good after "
    pace += f"{GOOD_STEPS[0]:,} to {GOOD_STEPS[1]:,} steps"
    if not most:
        return f"{pace}: it learns on until it gets no better"
    until = f"{pace}: about {_about(least)} to {_about(most)} minutes more"
    if limits.minutes and limits.minutes < most:
        until += f"; after {limits.minutes:g} minutes it is written as it is"
    return until


def _about(minutes: float) -> str:
    """Minutes with one or two digits that mean something."""
    step = 1 if minutes < 20 else 5 if minutes < 100 else 10
    return f"{max(1, step * round(minutes / step)):,}"
