"""Train a voice from prepared recordings."""

import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import torch

from app.dataset.prepared import PreparedSet
from app.errors import MemoryExhaustedError, UnreachableError, VoxmatrixError
from app.train import checkpoints
from app.train.lock import locked
from app.train.loop import Loop, make_loop
from app.train.run import Run, open_run
from app.train.settings import TrainSettings
from app.train.stopping import StopRequest
from app.train.watch import Start, Watch, make_watch


@dataclass(frozen=True, kw_only=True)
class TrainResult:
    """What a training left behind."""

    out: Path
    last: Path
    best: Path
    steps: int
    losses: Mapping[str, float]  # means of the last report; empty when there was nothing left to do
    validation_mel: float  # of the best


def fit(prepared: PreparedSet, settings: TrainSettings, watch: Watch | None = None) -> TrainResult:
    """Train into `settings.out`, or go on with the run that is there.

    Raises:
        UsageError: the settings make no sense, or contradict the run in the folder.
        NoDeviceError: the device that was asked for is not there.
        BadInputError: nothing to learn from, or the losses became no numbers.
        UnreachableError: the disk is full; the last good checkpoint is as it was.
        DamagedFileError: every checkpoint of the run is damaged.
        MemoryExhaustedError: the GPU has too little memory for a batch.
        InterruptedRunError: SIGTERM or Ctrl-C; the run is saved.
    """
    watch = watch or make_watch()
    with locked(settings.out):
        run = open_run(prepared, settings, watch)
        stop = StopRequest()
        loop = make_loop(run, watch, stop, settings.out / "samples")
        with closing(loop.metrics), closing(loop.board), closing(loop.telemetry):
            watch.started(_start(run, prepared, loop.total_steps))
            try:
                with stop.listening(lambda: _save_and_say(loop)):
                    loop.train()
            except torch.cuda.OutOfMemoryError as error:
                raise _out_of_memory(run) from error
            except UnreachableError as error:
                raise _not_written(run, error) from error
            finally:
                watch.ended()
    progress = run.state.progress
    return TrainResult(
        out=settings.out,
        last=settings.out / checkpoints.LAST,
        best=settings.out / checkpoints.BEST,
        steps=progress.step,
        losses=loop.losses,
        validation_mel=progress.best_mel,
    )


def _save_and_say(loop: Loop) -> int:
    """For a stop in the middle of a long step: called by another thread, after which the process ends."""
    try:
        error: VoxmatrixError = loop.interrupted()
    except VoxmatrixError as failure:
        error = failure
    loop.watch.ended()
    print(f"voxmatrix: {error.problem}\n  → {error.remedy}", file=sys.stderr, flush=True)  # noqa: T201
    return error.exit_code


def _out_of_memory(run: Run) -> MemoryExhaustedError:
    recipe, last = run.state.recipe, run.out / checkpoints.LAST
    going_on = f" --from {last}" if last.is_file() else ""
    return MemoryExhaustedError(
        f"{run.device} is out of memory at step {run.state.progress.step + 1}, batches of {recipe.batch_size} clips",
        f"choose another --out with{going_on} --batch-size {max(1, recipe.batch_size // 2)} "
        f"--accumulation {recipe.accumulation * 2} (the same learning in half the memory), "
        "or bound long clips with --max-batch-seconds",
    )


def _not_written(run: Run, error: UnreachableError) -> UnreachableError:
    """Whatever else is lost, a person wants to know what is not."""
    good = checkpoints.newest(run.out)
    kept = f"the last good checkpoint is {good}" if good else "there is no checkpoint yet"
    return UnreachableError(f"{error.problem} (at step {run.state.progress.step}; {kept})", error.remedy)


def _start(run: Run, prepared: PreparedSet, total_steps: int) -> Start:
    recipe, step = run.state.recipe, run.state.progress.step
    return Start(
        out=run.out,
        quality=recipe.quality,
        device=str(run.device),
        precision=run.settings.precision,
        clips=len(prepared.clips),
        validation_clips=len(run.validation),
        audio_seconds=prepared.seconds,
        batch_size=recipe.batch_size,
        accumulation=recipe.accumulation,
        steps_per_epoch=len(run.feed.schedule.epoch(0)),
        workers=run.workers.value,
        workers_reason=run.workers.reason,
        threads=run.threads,
        step=step,
        total_steps=total_steps,
        came_from=run.came_from,
    )
