"""`--tune`: measure in a child process which batches this device holds, and keep it in the device's profile."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date
from importlib.metadata import version
from typing import Any

import app
from app.compute.child import Ended, objects, place, run_child
from app.compute.device import prepare_environment
from app.dataset.prepared import PreparedSet
from app.errors import UnreachableError
from app.machine import profiles
from app.machine.facts import Gpu, Machine
from app.machine.profile import Measurement, Profile, Size, fitting, profiled
from app.plan.batch import SMALLEST_ON_A_CPU, SMALLEST_ON_A_GPU
from app.plan.budget import Need, memory_budget, shares_memory
from app.plan.plan import Plan
from app.tables.memory import memory_table
from app.train.device import planned_gpus
from app.train.largest import Bounds
from app.train.planning import plan_training
from app.train.settings import TrainSettings
from app.train.split import split
from app.train.trial import Job
from app.train.tuned import Outcome, Tuned, progress_line

#: No import: entrypoint stands above us.
CHILD = ("-m", "entrypoint.child", "app.train.tune_child")
#: Starting CUDA on a cold disk takes a minute.
_START_SECONDS = 120.0
#: How Linux ends a process when memory is out.
_KILLED = -9

Say = Callable[[str], None]


def tune(prepared: PreparedSet, settings: TrainSettings, machine: Machine, say: Say) -> Tuned:
    """Measure the device that is planned for these recordings. `say` is told a line for each size.

    Never fails because of what happens on the device: the reason stands in the outcome.

    Raises:
        NoDeviceError: the device that was asked for is not there.
        NoKernelsError: this torch has no kernels for it.
    """
    plan = plan_training(prepared, settings, machine, None)
    gpu = planned_gpus(plan, machine)[0]
    budget = memory_budget(gpu, machine).when(measured=True)
    tuned = Tuned(
        device=plan.device.value,
        name=gpu.name if gpu else machine.cpu,
        devices=plan.devices.value,
        clips=len(split(prepared.clips)[0]),
        budget=budget,
    )
    if budget.mib is None:
        return replace(tuned, problem=budget.why)
    smallest = SMALLEST_ON_A_GPU if gpu else SMALLEST_ON_A_CPU
    forced = settings.asked.gradient_checkpointing
    outcomes: list[Outcome] = []
    for checkpointed in (False, True) if forced is None else (forced.value,):
        if checkpointed:
            say("with gradient checkpointing:")
        job = _job(prepared, settings, plan, gpu, checkpointed)
        bounds = _bounds(job, gpu, budget.mib, prepared.rate_hz)
        ended = _run(job, gpu, bounds, plan.allocator.value, say)
        outcomes.append(read_outcome(ended, _nothing_yet(job, prepared.rate_hz), budget.mib))
        if outcomes[-1].measurement.largest_batch >= smallest:
            break
    return _keep(replace(tuned, outcomes=tuple(outcomes)), gpu, machine)


def _job(prepared: PreparedSet, settings: TrainSettings, plan: Plan, gpu: Gpu | None, checkpointed: bool) -> Job:
    """The worst case of these recordings: every clip as long as the longest, with the longest text."""
    return Job(
        device=place(gpu).device,
        name=gpu.name if gpu else None,
        quality=prepared.quality,
        precision=plan.precision.value,
        checkpointed=checkpointed,
        tf32=plan.tf32.value,
        cudnn_benchmark=plan.cudnn_benchmark.value,
        threads=settings.threads,
        samples=max(clip.samples for clip in prepared.clips),
        symbols=max(len(clip.ids) for clip in prepared.clips),
        speakers=max(1, len(prepared.speakers)),
        free_mib=gpu.free_mib if gpu else None,
    )


def _bounds(job: Job, gpu: Gpu | None, limit_mib: float, rate_hz: int) -> Bounds:
    need = Need(
        row=memory_table().qualities[job.quality],
        table=memory_table(),
        seconds=job.samples / rate_hz,
        half=job.precision != "fp32",
    )
    return Bounds(
        limit_mib=limit_mib,
        careful=gpu is None or shares_memory(gpu),
        until_busy=gpu is None,
        clip_mib=need.mib(2, job.checkpointed) - need.mib(1, job.checkpointed),
    )


def _run(job: Job, gpu: Gpu | None, bounds: Bounds, allocator: str, say: Say) -> Ended:
    """Run the child, and pass on what it measures."""
    where = place(gpu)
    prepare_environment(allocator, where.environment)

    def on_line(line: str) -> None:
        for row in objects(line):
            if (size := _size(row)) is not None:
                say(progress_line(size, bounds.limit_mib))
            elif "too_large" in row:
                say(f"batch {row['too_large']}: memory is out")

    return run_child(
        [*CHILD, json.dumps({**asdict(job), "bounds": asdict(bounds)})],
        where.environment,
        bounds.limit_seconds + _START_SECONDS,
        on_line=on_line,
        silence_seconds=bounds.size_seconds + _START_SECONDS,
    )


def _nothing_yet(job: Job, rate_hz: int) -> Measurement:
    return Measurement(
        quality=job.quality,
        precision=job.precision,
        gradient_checkpointing=job.checkpointed,
        seconds=round(job.samples / rate_hz, 3),
        sizes=(),
        largest_batch=0,
        torch=version("torch"),
        voxmatrix=app.__version__,
        date=date.today().isoformat(),
    )


def read_outcome(ended: Ended, nothing_yet: Measurement, limit_mib: float) -> Outcome:
    """What a child said; how it ended is the problem of the size that it had begun last."""
    rows = list(objects(ended.said))
    sizes = sorted(filter(None, map(_size, rows)), key=lambda size: size.batch_size)
    said = {key: value for row in rows for key, value in row.items()}  # the last word counts
    why, problem = said.get("ended", ""), said.get("problem", "")
    if not why and not problem:
        killed = ended.code == _KILLED
        problem = "the system killed it, as it does when memory is out" if killed else ended.ending or "it said no end"
    if problem and "started" in said:
        problem = f"batch {said['started']}: {problem}"
    measurement = replace(nothing_yet, sizes=tuple(sizes), largest_batch=fitting(sizes, limit_mib))
    return Outcome(measurement=measurement, ended=why, problem=problem)


def _size(row: dict[str, Any]) -> Size | None:
    """The size of a line about one that could be computed."""
    if "tried" not in row:
        return None
    tried = row["tried"]
    return Size(
        batch_size=tried["batch_size"],
        peak_mib=round(tried["peak_mib"], 1),
        clips_per_second=round(tried["clips_per_second"], 4),
    )


def _keep(tuned: Tuned, gpu: Gpu | None, machine: Machine) -> Tuned:
    problems = [outcome.problem for outcome in tuned.outcomes if outcome.problem]
    news = [outcome.measurement for outcome in tuned.outcomes if outcome.measurement.sizes]
    kept = None
    if news:
        profile = Profile(device=profiled(gpu, machine), measurements=tuple(news))
        try:
            profiles.keep(profile)
            kept = profiles.place(profile.key)
        except UnreachableError as error:
            problems.append(f"it is not kept: {error.problem} ({error.remedy})")
    return replace(tuned, kept=kept, problem="; ".join(problems))
