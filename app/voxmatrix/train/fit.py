"""Train a voice from prepared recordings."""

import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.compute.memory import is_out_of_memory, missing_mib
from voxmatrix.config import is_rank_zero
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.doctor.preflight import Preflight, run_preflight
from voxmatrix.errors import InterruptedRunError, MemoryExhaustedError, UnreachableError, VoxmatrixError
from voxmatrix.plan.plan import Plan
from voxmatrix.plan.show import format_value
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.train.config import TrainSettings
from voxmatrix.train.lock import locked
from voxmatrix.train.loop import Loop, make_loop
from voxmatrix.train.monitor.progress import Progress, QuietProgress, RunSummary, make_progress
from voxmatrix.train.run import Run, open_run
from voxmatrix.train.step.stepper import follow
from voxmatrix.train.stop import StopRequest
from voxmatrix.train.tune.result import TuneResult
from voxmatrix.train.tune.tune import tune


@dataclass(frozen=True, kw_only=True)
class TrainResult:
    """What a training left behind."""

    out: Path
    last: Path
    best: Path
    steps: int
    losses: Mapping[str, float]  # means of the last report; empty when there was nothing left to do
    validation_mel: float  # of the best
    tuned: TuneResult | None = None  # what `--tune` measured


def fit(
    prepared: PreparedSet,
    settings: TrainSettings,
    progress: Progress | None = None,
    *,
    preflight: Preflight | None = None,
) -> TrainResult:
    """Train into `settings.out`, or go on with the run that is there.

    `preflight` is what was found out about this computer, if anything.

    Raises:
        UsageError: the settings make no sense, or contradict the run in the folder.
        NoDeviceError: the device that was asked for is not there.
        BadInputError: nothing to learn from, or the losses became no numbers.
        UnreachableError: the disk is full; the last good checkpoint is as it was.
        DamagedFileError: every checkpoint of the run is damaged.
        NoKernelsError: this torch has no kernels for it.
        MemoryExhaustedError: memory ran out, and nothing was left to be given up.
        InterruptedRunError: SIGTERM or Ctrl-C; what there is of the run is saved.
    """
    preflight = preflight or run_preflight(settings.overrides.device, "train")
    if not is_rank_zero():
        return _follow(prepared, settings, preflight)
    progress = progress or make_progress()
    with locked(settings.out):
        tuned = _tune(prepared, settings, progress, preflight) if settings.tune else None
        run = open_run(prepared, settings, progress, preflight)
        stop = StopRequest()
        loop = make_loop(run, progress, stop, settings.out / "samples")
        with closing(loop.metrics), closing(loop.board), closing(loop.telemetry):
            progress.started(_start(run, prepared, loop.total_steps))
            try:
                with stop.listening(lambda: _save_and_say(loop)):
                    loop.train()
            except UnreachableError as error:
                raise _not_written(run, error) from error
            except Exception as error:
                if is_out_of_memory(error):  # not in the passes of a step, which give way by themselves
                    raise _out_of_memory(run, error) from error
                raise
            finally:
                progress.ended()
    return _result(run, loop.losses, tuned)


def _tune(prepared: PreparedSet, settings: TrainSettings, progress: Progress, preflight: Preflight) -> TuneResult:
    """Before anything of this process is on the device, and before the others of a training are started."""
    try:
        tuned = tune(prepared, settings, preflight, progress.tuning)
    except KeyboardInterrupt as error:
        raise InterruptedRunError(
            "interrupted while the device was measured; nothing was trained", "the same command measures anew"
        ) from error
    if tuned.problem:
        progress.warned(f"not all could be measured: {tuned.problem}")
    progress.tuning(tuned.paragraph())
    return tuned


def _follow(prepared: PreparedSet, settings: TrainSettings, preflight: Preflight) -> TrainResult:
    """As a process that another one leads: what there is to say, that one says."""
    progress = QuietProgress()
    run = open_run(prepared, settings, progress, preflight)
    stop = StopRequest()
    with stop.listening(lambda: InterruptedRunError.exit_code):
        follow(run, progress, stop)
    return _result(run, {})


def _result(run: Run, losses: Mapping[str, float], tuned: TuneResult | None = None) -> TrainResult:
    position = run.state.position
    return TrainResult(
        out=run.out,
        last=run.out / checkpoint_files.LAST,
        best=run.out / checkpoint_files.BEST,
        steps=position.step,
        losses=losses,
        validation_mel=position.best_mel,
        tuned=tuned,
    )


def _save_and_say(loop: Loop) -> int:
    """For a stop in the middle of a long step: called by another thread, after which the process ends."""
    try:
        error: VoxmatrixError = loop.interrupted()
    except VoxmatrixError as failure:
        error = failure
    loop.progress.ended()
    print(f"voxmatrix: {error.problem}\n  → {error.remedy}", file=sys.stderr, flush=True)  # noqa: T201
    return error.exit_code


def _out_of_memory(run: Run, error: BaseException) -> MemoryExhaustedError:
    missing, last = missing_mib(error), run.out / checkpoint_files.LAST
    wanted = "" if missing is None else f"; {missing:.0f} MiB were missing"
    kept = f"{last} holds what was learned before" if last.is_file() else "nothing was saved yet"
    return MemoryExhaustedError(
        f"{run.plan.device.value} is out of memory at step {run.state.position.step + 1}, beside the passes of a step"
        f"{wanted}; {kept}",
        "free memory on the device (voxmatrix devices shows how much is free), choose a smaller --quality, "
        "or train with --device cpu; the same command goes on",
    )


def _not_written(run: Run, error: UnreachableError) -> UnreachableError:
    """Whatever else is lost, a person wants to know what is not."""
    good = checkpoint_files.newest(run.out)
    kept = f"the last good checkpoint is {good}" if good else "there is no checkpoint yet"
    return UnreachableError(f"{error.problem} (at step {run.state.position.step}; {kept})", error.remedy)


def _start(run: Run, prepared: PreparedSet, total_steps: int) -> RunSummary:
    recipe, step = run.state.recipe, run.state.position.step
    return RunSummary(
        out=run.out,
        quality=recipe.quality,
        device=run.plan.device.value,
        precision=run.plan.precision.value,
        clips=len(prepared.clips),
        validation_clips=len(run.validation),
        audio_seconds=prepared.seconds,
        batch_size=recipe.batch_size,
        accumulation=recipe.accumulation,
        steps_per_epoch=len(run.loader.schedule.epoch(0)),
        workers=run.plan.workers.value,
        workers_reason=run.plan.workers.reason,
        threads=run.threads,
        step=step,
        total_steps=total_steps,
        came_from=run.came_from,
        decisions=_decisions(run.plan),
    )


def _decisions(plan: Plan) -> tuple[str, ...]:
    """What a person may want to know before hours of training: why here, why so."""
    told = ["device", "precision", "batch_size"]
    told += [name for name in ("gradient_checkpointing", "compile") if plan.settings[name].value]
    told += ["devices"] * (plan.devices.value > 1)
    return tuple(f"  {name} {format_value(plan.settings[name])}: {plan.settings[name].reason}" for name in told)
