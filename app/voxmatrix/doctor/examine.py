"""The steps of an examination: which device, smoke test, report."""

from collections.abc import Callable, Sequence
from pathlib import Path

from voxmatrix.doctor.cache import saved_device
from voxmatrix.doctor.device import RUNS, chosen_gpu
from voxmatrix.doctor.report import DoctorReport, assessments_of, make_report
from voxmatrix.doctor.smoke import SmokeResult, run_smoke
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.precision import choose_precision

_TORCH_NAMES = {"bf16": "bfloat16", "fp16": "float16"}
OnDevice = Callable[[str], None]


def describe(machine: Machine, asked: str, notes: Sequence[Finding] = ()) -> DoctorReport:
    """The report from facts alone: nothing is run, and torch is not imported.

    Raises:
        NoDeviceError: the device that was asked for is not there.
    """
    return make_report(machine, chosen_gpu(machine, assessments_of(machine), asked), notes=notes)


def examine(
    machine: Machine,
    asked: str,
    *,
    cache: Path,
    fresh: bool = False,
    notes: Sequence[Finding] = (),
    on_device: OnDevice = lambda name: None,
) -> DoctorReport:
    """The report on this computer, with a smoke test on every GPU that should run, or on the CPU when none should.

    `cache` is where results that passed are kept; `fresh` runs everything all the same.

    Raises:
        NoDeviceError: the device that was asked for is not there.
    """
    chosen = chosen_gpu(machine, assessments_of(machine), asked)
    smokes = {}
    for gpu in _to_test(machine, chosen, asked):
        on_device("the CPU" if gpu is None else f"GPU {gpu.index}")
        smokes[gpu] = try_device(machine, gpu, None if fresh else cache)
    results = [result for smoke in smokes.values() for result in smoke.results]
    flash = smokes[chosen].flash if chosen in smokes else None
    return make_report(machine, chosen, results, flash, notes)


def _to_test(machine: Machine, chosen: Gpu | None, asked: str) -> list[Gpu | None]:
    """Every GPU that should run; the chosen one also where the tables doubt it, since they may not know it."""
    if machine.torch is None:
        return []
    if chosen is None:
        return [None]
    doubted = ("unsupported", None) if machine.torch.cuda and chosen.kind == "cuda" else ()
    verdicts = list(zip(machine.gpus, assessments_of(machine), strict=True))
    return [
        gpu
        for gpu, assessment in verdicts
        if (assessment.verdict in RUNS and (asked == "auto" or gpu == chosen))
        or (gpu == chosen and assessment.verdict in doubted)
    ]


def try_device(machine: Machine, gpu: Gpu | None, cache: Path | None) -> SmokeResult:
    """The smoke test on one device; what passed before is not run again where `cache` is given."""
    dtypes = ("float32", *_half(gpu))

    def run() -> SmokeResult:
        return run_smoke(gpu, dtypes)

    return run() if cache is None else saved_device(cache, machine, gpu, dtypes, run)


def _half(gpu: Gpu | None) -> tuple[str, ...]:
    """The precision that a training there is planned in, besides float32."""
    name = _TORCH_NAMES.get(choose_precision(gpu, None).value)
    return () if gpu is None or name is None else (name,)
