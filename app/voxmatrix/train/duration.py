"""How long a training is expected to take, before its first step."""

from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.machine.profile_store import profile_of
from voxmatrix.plan.preflight import Preflight
from voxmatrix.tables.training import cpu_speed
from voxmatrix.train.config import DEFAULT_EPOCHS, Recipe
from voxmatrix.train.monitor.history import last_speed
from voxmatrix.train.run import Run
from voxmatrix.wording import pluralise

#: In seconds, from the longest.
_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"))


def describe_length(run: Run, prepared: PreparedSet, preflight: Preflight, total_steps: int) -> tuple[str, ...]:
    """The end of the training and the expected duration, one per line: setting, value, reason."""
    settings, recipe, step = run.settings, run.state.recipe, run.state.position.step
    left = total_steps - step
    if left <= 0:
        return ()
    per_epoch = len(run.loader.schedule.epoch(0))
    ends = []
    if settings.max_steps is None and settings.epochs is None:
        ends.append(f"  epochs {DEFAULT_EPOCHS}: the default; `epochs` or `max_steps` ends it earlier or later")
    late = step < recipe.discriminator_start < total_steps
    known = _step_seconds(run, prepared, preflight, (len(prepared.clips) - len(run.validation)) / per_epoch)
    if known is None:
        ends.append(f"  duration unknown before the second of {pluralise(left, 'step')}: `tune` measures this device")
    else:
        seconds, source = known
        steps = f"{pluralise(left, 'step')} of {seconds:.2g} s{' at first' if late else ''}"
        words = in_words(seconds * steps_left(recipe, step, total_steps))
        ends.append(f"  duration about {words}: {steps}, {source}")
    if step < recipe.discriminator_start:
        start, share = recipe.discriminator_start, f"{_share(recipe, step):.0%}".replace("%", " %")
        ends.append(f"  discriminators after step {start}: until then a step takes {share} of the time")
    return tuple(ends)


def steps_left(recipe: Recipe, step: int, total_steps: int) -> float:
    """As how many steps like the next one those count that are left: with discriminators each takes longer."""
    start = min(max(step, recipe.discriminator_start), total_steps)
    return start - step + (total_steps - start) / _share(recipe, step)


def in_words(seconds: float) -> str:
    """A rough duration in its largest unit: 2 days, 5 hours, 1 minute."""
    for unit, name in _UNITS:
        if seconds >= 1.5 * unit or unit == 60:
            return pluralise(max(1, round(seconds / unit)), name)
    raise AssertionError(_UNITS)


def _share(recipe: Recipe, step: int) -> float:
    """The share of the time of a step with discriminators that the next step takes."""
    row = cpu_speed(recipe.quality)
    return 1.0 if row is None or step >= recipe.discriminator_start else row.without_discriminators


def _step_seconds(
    run: Run, prepared: PreparedSet, preflight: Preflight, clips_per_step: float
) -> tuple[float, str] | None:
    """Seconds of the next step and how they are known; None if nothing was measured on such a device."""
    if speed := last_speed(run.out / "metrics.csv"):
        return 1 / speed, "as measured last in this run"
    gpu, speech_per_step = preflight.selected.gpu, clips_per_step * prepared.seconds / len(prepared.clips)
    profile, recipe = profile_of(gpu, preflight.machine).one, run.state.recipe
    share = _share(recipe, run.state.position.step)
    checkpointing = run.plan.gradient_checkpointing.value
    measured = profile and profile.latest(
        recipe.quality, run.plan.precision.value, gradient_checkpointing=checkpointing
    )
    if measured:
        speech_per_second = measured.speech_per_second(recipe.batch_size) * run.distributed.count
        return share * speech_per_step / speech_per_second, f"as measured by train --tune on {measured.date}"
    row = cpu_speed(prepared.quality)
    if gpu is not None or row is None:
        return None
    cpus = run.threads * run.distributed.count
    return share * row.seconds(clips_per_step, speech_per_step, cpus), f"estimated for {pluralise(cpus, 'CPU')}"
