"""Train a voice from prepared recordings."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from voxmatrix.compute.memory import memory_errors, request_of
from voxmatrix.config import is_rank_zero
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import InterruptedRunError, MemoryExhaustedError, UnreachableError, VoxmatrixError
from voxmatrix.lock import TRAINING, locked
from voxmatrix.machine.saved_device import CPU
from voxmatrix.plan.advice import Intended, advise
from voxmatrix.plan.plan import Plan, format_value
from voxmatrix.plan.preflight import Preflight, run_preflight
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.train.config import TrainSettings
from voxmatrix.train.duration import describe_length
from voxmatrix.train.loop import Loop, make_loop
from voxmatrix.train.monitor.progress import Progress, QuietProgress, RunSummary, make_progress
from voxmatrix.train.run import Run, open_run
from voxmatrix.train.step.stepper import follow
from voxmatrix.train.stop import StopRequest
from voxmatrix.train.tune.result import TuneResult
from voxmatrix.train.tune.tune import tune


@dataclass(frozen=True, kw_only=True)
class TrainResult:
    """The result of a training."""

    out: Path
    last: Path
    best: Path
    steps: int
    losses: Mapping[str, float]  # means of the last report; empty if the run was already finished
    validation_mel: float  # of the best checkpoint
    best_step: int = 0  # its step
    stalled: bool = False  # the training ended because no validation was better
    tuned: TuneResult | None = None  # the result of `--tune`


def fit(
    prepared: PreparedSet,
    settings: TrainSettings,
    progress: Progress | None = None,
    *,
    preflight: Preflight | None = None,
) -> TrainResult:
    """Train into `settings.out`, resuming the run there if there is one.

    `preflight`: the checks of this computer, if already done.

    Raises:
        UsageError: a setting is invalid or contradicts the run in the folder.
        NoDeviceError: the requested device is not available.
        BadInputError: there are no recordings, or the training diverged.
        UnreachableError: the disk is full; the last good checkpoint is unchanged.
        DamagedFileError: every checkpoint of the run is damaged.
        NoKernelsError: this torch has no kernels for the device.
        MemoryExhaustedError: out of memory, with no way left to use less.
        InterruptedRunError: SIGTERM or Ctrl-C; the run is saved.
    """
    preflight = preflight or run_preflight(settings.overrides.device, "train")
    if not is_rank_zero():
        return _fit_follower(prepared, settings, preflight)
    progress = progress or make_progress()
    with locked(settings.out, *TRAINING):
        tuned = _tune(prepared, settings, progress, preflight) if settings.tune else None
        stop = StopRequest()
        with memory_errors(partial(_too_large, preflight)):
            run = open_run(prepared, settings, progress, preflight)
            loop = make_loop(run, progress, stop, settings.out / "samples")
        with closing(loop.metrics), closing(loop.board), closing(loop.telemetry):
            progress.started(_summary(run, prepared, preflight, loop.total_steps))
            try:
                # Forward and backward passes recover from it by themselves.
                with stop.listening(lambda: _save_and_report(loop)), memory_errors(partial(_out_of_memory, run)):
                    loop.train()
            except UnreachableError as error:
                raise _not_written(run, error) from error
            finally:
                progress.ended()
    return _result(run, loop.losses, tuned)


def _tune(prepared: PreparedSet, settings: TrainSettings, progress: Progress, preflight: Preflight) -> TuneResult:
    """Tune before this process uses the device and before other processes are started."""
    try:
        tuned = tune(prepared, settings, preflight, progress.tuning)
    except KeyboardInterrupt as error:
        raise InterruptedRunError(
            "interrupted while measuring the device; nothing was trained", "run the same command again to measure"
        ) from error
    if tuned.problem:
        progress.warned(f"not everything could be measured: {tuned.problem}")
    progress.tuning(tuned.paragraph())
    return tuned


def _fit_follower(prepared: PreparedSet, settings: TrainSettings, preflight: Preflight) -> TrainResult:
    """Train in a process other than rank zero, which does all the reporting."""
    progress = QuietProgress()
    with memory_errors(partial(_too_large, preflight)):
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
        best_step=position.best_step,
        stalled=run.settings.patience is not None and position.since_best >= run.settings.patience,
        tuned=tuned,
    )


def _save_and_report(loop: Loop) -> int:
    """Save in the middle of a long step; called by another thread, which then ends the process."""
    try:
        error: VoxmatrixError = loop.interrupted()
    except VoxmatrixError as failure:
        error = failure
    loop.progress.ended()
    loop.progress.failed(error)
    return error.exit_code


def _too_large(preflight: Preflight, error: BaseException) -> MemoryExhaustedError:
    device = preflight.selected.device.value
    return MemoryExhaustedError(
        f"{device} has too little memory to begin: the networks, optimisers and validation clips do not fit"
        f"{request_of(error)}",
        f"free memory on the device (voxmatrix devices shows how much is free), {_instead(device)}"
        "run the same command again",
    )


def _out_of_memory(run: Run, error: BaseException) -> MemoryExhaustedError:
    last = run.out / checkpoint_files.LAST
    saved = f"{last} has the progress so far" if last.is_file() else "nothing was saved yet"
    return MemoryExhaustedError(
        f"{run.plan.device.value} is out of memory at step {run.state.position.step + 1}, outside of its forward and "
        f"backward passes{request_of(error)}; {saved}",
        f"free memory on the device (voxmatrix devices shows how much is free), {_instead(run.plan.device.value)}"
        "run the same command to resume",
    )


def _instead(device: str) -> str:
    if device == CPU:
        return "or choose a smaller `quality`; "
    return "choose a smaller `quality`, or train with `device=cpu`; "


def _not_written(run: Run, error: UnreachableError) -> UnreachableError:
    """`error` with the last good checkpoint added to the message."""
    good = checkpoint_files.newest(run.out)
    saved = f"the last good checkpoint is {good}" if good else "there is no checkpoint yet"
    return UnreachableError(f"{error.problem} (at step {run.state.position.step}; {saved})", error.remedy)


def _summary(run: Run, prepared: PreparedSet, preflight: Preflight, total_steps: int) -> RunSummary:
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
        decisions=(
            *_decisions(run.plan),
            *describe_length(run, prepared, preflight, total_steps),
            *_advice(run, prepared, preflight, total_steps),
        ),
    )


def _advice(run: Run, prepared: PreparedSet, preflight: Preflight, total_steps: int) -> tuple[str, ...]:
    """What others would do with such recordings; nothing in the middle of a run."""
    if run.state.position.step:
        return ()
    recipe, steps_per_epoch = run.state.recipe, len(run.loader.schedule.epoch(0))
    training = Intended(
        seconds=prepared.seconds,
        clips=len(prepared.clips),
        batch=recipe.batch_size * recipe.accumulation,
        learning_rate=recipe.learning_rate,
        steps=total_steps,
        steps_per_epoch=steps_per_epoch,
        fine_tuned=bool(recipe.start_from),
        on_gpu=preflight.selected.gpu is not None,
    )
    return tuple(f"  advice: {sentence}" for sentence in advise(training))


def _decisions(plan: Plan) -> tuple[str, ...]:
    """The main settings of the plan with their reasons, worth knowing before hours of training."""
    names = ["device", "precision", "batch_size"]
    names += [name for name in ("gradient_checkpointing", "compile") if plan.settings[name].value]
    names += ["devices"] * (plan.devices.value > 1)
    return tuple(f"  {name} {format_value(plan.settings[name])}: {plan.settings[name].reason}" for name in names)
