"""`--tune`: measure in child processes which batches fit on a device, and save the result in the device's profile."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version

import voxmatrix
from voxmatrix.compute.child import place
from voxmatrix.compute.device import prepare_environment
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError, UnreachableError
from voxmatrix.machine import profile_store
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.profile import BatchFigures, Measurement, Profile, fitting, profiled
from voxmatrix.plan.batch import SMALLEST_ON_A_CPU, SMALLEST_ON_A_GPU
from voxmatrix.plan.budget import Need, memory_budget, shares_memory
from voxmatrix.plan.plan import Plan
from voxmatrix.plan.preflight import Preflight
from voxmatrix.tables.training import memory_table
from voxmatrix.train.config import TrainSettings
from voxmatrix.train.data.batches import split
from voxmatrix.train.device import planned_gpus
from voxmatrix.train.planning import plan_training
from voxmatrix.train.tune.batch_search import SearchBounds, TriedBatch
from voxmatrix.train.tune.result import SearchOutcome, TuneResult, progress_line
from voxmatrix.train.tune.search_process import SearchProcess
from voxmatrix.train.tune.trial import TrialJob

Report = Callable[[str], None]


def tune(prepared: PreparedSet, settings: TrainSettings, preflight: Preflight, report: Report) -> TuneResult:
    """Measure the planned device with batches like these recordings. `report` is called with a line per size.

    Failures on the device do not raise: the outcome has the reason.

    Raises:
        BadInputError: there are no recordings.
        KeyboardInterrupt: Ctrl-C; the child process is stopped.
    """
    if not prepared.clips:
        raise BadInputError("there are no recordings to measure with", "run voxmatrix prepare on the folder to see why")
    machine, plan = preflight.machine, plan_training(prepared, settings, preflight, None)
    gpu = planned_gpus(plan, machine)[0]
    budget = memory_budget(gpu, machine).when(measured=True)
    tuned = TuneResult(
        device=plan.device.value,
        name=gpu.name if gpu else machine.cpu,
        devices=plan.devices.value,
        clips=len(split(prepared.clips)[0]),
        budget=budget,
    )
    if budget.mib is None:
        return replace(tuned, problem=budget.why)
    task = _Task(prepared=prepared, settings=settings, plan=plan, gpu=gpu, limit_mib=budget.mib)
    return _save(replace(tuned, outcomes=tuple(_outcomes(task, report))), gpu, machine)


@dataclass(frozen=True, kw_only=True)
class _Task:
    """What to measure, on which device, with how much memory."""

    prepared: PreparedSet
    settings: TrainSettings
    plan: Plan
    gpu: Gpu | None
    limit_mib: float

    @property
    def seconds(self) -> float:
        """The duration of the longest clip: measuring with it covers the worst case."""
        return max(clip.samples for clip in self.prepared.clips) / self.prepared.rate_hz


def _outcomes(task: _Task, report: Report) -> Iterator[SearchOutcome]:
    """Measure without gradient checkpointing, then with it if too few clips fit; or only as requested."""
    smallest = SMALLEST_ON_A_GPU if task.gpu else SMALLEST_ON_A_CPU
    forced = task.settings.overrides.gradient_checkpointing
    for checkpointed in (False, True) if forced is None else (forced.value,):
        savings = " with gradient checkpointing" if checkpointed else ""
        report(
            f"measuring batches of clips of {task.seconds:.1f} s{savings} on {task.plan.device.value}: "
            f"the limit is {task.limit_mib:.0f} MiB"
        )
        result = _measure(task, checkpointed, report)
        yield result
        if result.measurement.largest_batch >= smallest or result.problem:
            return


def _measure(task: _Task, checkpointed: bool, report: Report) -> SearchOutcome:
    where = place(task.gpu)
    prepare_environment(task.plan.allocator.value, where.environment)
    job = _job(task, where.device, checkpointed)
    search = SearchProcess(job=job, bounds=_bounds(task, job))
    search.run(
        where.environment,
        on_tried=lambda tried: report(progress_line(tried, task.limit_mib)),
        on_too_large=lambda size, why: report(f"batch {size} does not fit: {why}"),
    )
    return outcome(search, task.seconds)


def _job(task: _Task, device: str, checkpointed: bool) -> TrialJob:
    clips, gpu, plan = task.prepared.clips, task.gpu, task.plan
    return TrialJob(
        device=device,
        name=gpu.name if gpu else None,
        quality=task.prepared.quality,
        precision=plan.precision.value,
        checkpointed=checkpointed,
        tf32=plan.tf32.value,
        cudnn_benchmark=plan.cudnn_benchmark.value,
        graphs=plan.graphs.value and not checkpointed,
        threads=task.settings.threads,
        samples=max(clip.samples for clip in clips),
        symbols=max(len(clip.ids) for clip in clips),
        speakers=max(1, len(task.prepared.speakers)),
        free_mib=gpu.free_mib if gpu else None,
    )


def _bounds(task: _Task, job: TrialJob) -> SearchBounds:
    table = memory_table()
    need = Need(row=table.qualities[job.quality], table=table, seconds=task.seconds, half=job.precision != "fp32")
    return SearchBounds(
        limit_mib=task.limit_mib,
        never_exceed=task.gpu is None or shares_memory(task.gpu),
        stop_when_saturated=task.gpu is None,
        clip_mib=need.mib(2, job.checkpointed) - need.mib(1, job.checkpointed),
    )


def outcome(search: SearchProcess, seconds: float) -> SearchOutcome:
    """The result of a search in the form that is saved; partial if the search failed."""
    sizes = tuple(_size(tried) for tried in sorted(search.tried, key=lambda tried: tried.batch_size))
    measurement = Measurement(
        quality=search.job.quality,
        precision=search.job.precision,
        gradient_checkpointing=search.job.checkpointed,
        seconds=round(seconds, 3),
        sizes=sizes,
        largest_batch=fitting(sizes, search.bounds.limit_mib),
        torch=version("torch"),
        voxmatrix=voxmatrix.__version__,
        date=date.today().isoformat(),
    )
    return SearchOutcome(measurement=measurement, ended=search.ended, problem=search.problem)


def _size(tried: TriedBatch) -> BatchFigures:
    return BatchFigures(
        batch_size=tried.batch_size, peak_mib=round(tried.peak_mib, 1), step_seconds=round(tried.step_seconds, 5)
    )


def _save(tuned: TuneResult, gpu: Gpu | None, machine: Machine) -> TuneResult:
    problems = [outcome.problem for outcome in tuned.outcomes if outcome.problem]
    measurements = tuple(outcome.measurement for outcome in tuned.outcomes if outcome.measurement.sizes)
    kept = None
    if measurements:
        profile = Profile(device=profiled(gpu, machine), measurements=measurements)
        try:
            profile_store.keep(profile)
            kept = profile_store.place(profile.key)
        except UnreachableError as error:
            problems.append(f"the result was not saved: {error.problem} ({error.remedy})")
    return replace(tuned, kept=kept, problem="; ".join(problems))
