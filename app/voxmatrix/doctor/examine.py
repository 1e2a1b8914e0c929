"""The steps of an examination: select the device, run the smoke test, make the report."""

from collections.abc import Callable, Sequence
from pathlib import Path

from voxmatrix.doctor.report import DoctorReport, assessments_of, make_report
from voxmatrix.doctor.smoke import SmokeResult, cached_smoke, run_smoke
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.device_selection import best_gpu, not_found, requested_gpu
from voxmatrix.plan.precision import choose_precision
from voxmatrix.plan.verdict import Assessment

RUNS = ("native", "ptx-jit")


def chosen_gpu(machine: Machine, assessments: Sequence[Assessment], device: str) -> Gpu | None:
    """The GPU for this device name; None is the CPU. `auto` is the best usable GPU, else the first one of torch's kind.

    Raises:
        UsageError: this is not the name of a device.
        NoDeviceError: the device is not available.
    """
    request = parse_device(device, "flag", f"`device={device}`")
    running = [gpu for gpu, assessment in zip(machine.gpus, assessments, strict=True) if assessment.verdict in RUNS]
    if request.kind == "cpu":
        return None
    if request.kind == "auto":
        return best_gpu(running, machine) if running else _first_of_torch(machine)
    gpu = requested_gpu(machine, request, running.__contains__)
    if gpu is None:
        raise not_found(machine, request)
    return gpu


def _first_of_torch(machine: Machine) -> Gpu | None:
    """The first GPU of the kind that torch is built for: it is expected to work, so a failure must be an error."""
    kind = machine.torch.built_for if machine.torch else None
    return next((gpu for gpu in machine.gpus if gpu.kind == kind and (gpu.capability or kind != "cuda")), None)


_TORCH_NAMES = {"bf16": "bfloat16", "fp16": "float16"}
OnDevice = Callable[[str], None]


def describe(
    machine: Machine, device: str, notes: Sequence[Finding] = (), *, is_cpu_allowed: bool = False
) -> DoctorReport:
    """Make the report from facts alone, without running anything. As `examine`.

    Raises:
        NoDeviceError: the requested device is not available.
    """
    chosen = chosen_gpu(machine, assessments_of(machine), device)
    return make_report(machine, chosen, notes=notes, is_cpu_wanted=is_cpu_allowed or device == CPU)


def examine(
    machine: Machine,
    device: str,
    *,
    cache: Path,
    fresh: bool = False,
    notes: Sequence[Finding] = (),
    is_cpu_allowed: bool = False,
    on_device: OnDevice = lambda name: None,
) -> DoctorReport:
    """Make the report, with a smoke test on every GPU expected to work, or on the CPU if there is none.

    `cache` is the folder for passed results; `fresh` ignores it. `is_cpu_allowed`: an image for GPUs may have none.

    Raises:
        NoDeviceError: the requested device is not available.
    """
    chosen = chosen_gpu(machine, assessments_of(machine), device)
    smokes = {}
    for gpu in _to_test(machine, chosen, device):
        on_device("the CPU" if gpu is None else f"GPU {gpu.index}")
        smokes[gpu] = try_device(machine, gpu, None if fresh else cache)
    results = [result for smoke in smokes.values() for result in smoke.results]
    flash = smokes[chosen].flash if chosen in smokes else None
    return make_report(machine, chosen, results, flash, notes, is_cpu_wanted=is_cpu_allowed or device == CPU)


def _to_test(machine: Machine, chosen: Gpu | None, device: str) -> list[Gpu | None]:
    """Every GPU expected to work, and the chosen one even if it is not, because the tables may not know it."""
    if machine.torch is None:
        return []
    if chosen is None:
        return [None]
    doubted = ("unsupported", None) if machine.torch.built_for == chosen.kind else ()
    verdicts = list(zip(machine.gpus, assessments_of(machine), strict=True))
    return [
        gpu
        for gpu, assessment in verdicts
        if (assessment.verdict in RUNS and (device == "auto" or gpu == chosen))
        or (gpu == chosen and assessment.verdict in doubted)
    ]


def try_device(machine: Machine, gpu: Gpu | None, cache: Path | None) -> SmokeResult:
    """Run the smoke test on one device, or return an earlier passed result from `cache`."""
    dtypes = ("float32", *_half(gpu))

    def run() -> SmokeResult:
        return run_smoke(gpu, dtypes)

    return run() if cache is None else cached_smoke(cache, machine, gpu, dtypes, run)


def _half(gpu: Gpu | None) -> tuple[str, ...]:
    """The planned training precision of the device, if it is not float32."""
    name = _TORCH_NAMES.get(choose_precision(gpu, None).value)
    return () if gpu is None or name is None else (name,)
