"""Measurement of devices, one after the other: which ones, and each in a child process whose output becomes rows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from voxmatrix.bench.matmul import MatmulBench
from voxmatrix.bench.report import BenchRow, named
from voxmatrix.bench.speak import SpeakBench
from voxmatrix.bench.train import TrainBench
from voxmatrix.compute.child import ChildResult, json_objects, place, run_child
from voxmatrix.compute.device import prepare_environment
from voxmatrix.errors import Finding, MemoryExhaustedError, NoDeviceError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.device_selection import Assess, Task, select_device, unsupported
from voxmatrix.plan.torch_options import choose_allocator
from voxmatrix.plan.verdict import assess
from voxmatrix.processes import OUT_OF_MEMORY
from voxmatrix.settings import Source

ALL = "all"


def to_measure(
    machine: Machine,
    device: str,
    *,
    task: Task,
    source: Source = "flag",
    option: str = "device",
    saved_device: SavedDevice | None = None,
    assess: Assess = assess,
) -> tuple[list[Gpu | None], tuple[Finding, ...]]:
    """The requested device, or for `all` the CPU (None) and every GPU that supports the task; findings for the others.

    Raises:
        UsageError: this is not the name of a device.
        NoDeviceError: the device is not available, or cannot do this task.
        NoKernelsError: this torch has no kernels for it.
    """
    if device.strip().lower() != ALL:
        request = parse_device(device, source, f"{option} {device}")
        selected = select_device(machine, request, task=task, saved_device=saved_device, assess=assess)
        return [selected.gpu], selected.findings
    refused = {gpu: error for gpu in machine.gpus if (error := unsupported(gpu, machine, assess, task)) is not None}
    usable = [gpu for gpu in machine.gpus if gpu not in refused]
    left_out = [
        Finding(problem=f"not measured: {error.problem}", remedy=error.remedy, severity="warning")
        for error in refused.values()
    ]
    return [None, *usable], tuple(left_out)


BenchJob = MatmulBench | SpeakBench | TrainBench
_KILLED_PROBLEM = "the system killed its process (signal 9), probably because memory ran out"


def measure(
    job: BenchJob, gpu: Gpu | None, machine: Machine, limit_seconds: float, parameters: Mapping[str, int]
) -> list[BenchRow]:
    """Measure this GPU (None: the CPU) in a child process, for at most `limit_seconds`."""
    placement, (device, name) = place(gpu), named(gpu, machine)
    prepare_environment(choose_allocator(gpu, machine).value, placement.environment)
    task = {"benchmark": job.benchmark, "device": placement.device, "name": name, "job": asdict(job)}
    # The entrypoint applies the same patches as for a command. Named, not imported: it is in a higher layer.
    arguments = ["-m", "voxmatrix_entrypoint.child", "voxmatrix.bench.child", json.dumps(task)]
    return read_rows(run_child(arguments, placement.environment, limit_seconds), device, name, parameters)


def read_rows(child: ChildResult, device: str, name: str | None, parameters: Mapping[str, int]) -> list[BenchRow]:
    """Parse the output of a child into one row per part. A failure is attributed to the part that was running."""
    rows: list[BenchRow] = []
    running: str | None = ""
    for line in json_objects(child.stdout):
        if "started" in line:
            running = line["started"]
            continue
        if "part" not in line:
            continue
        running, part = None, line.pop("part")
        rows.append(BenchRow(device=device, name=name, format=part, parameters=parameters, **line))
    if running is not None or not rows:
        killed = child.code == OUT_OF_MEMORY
        rows.append(
            BenchRow(
                device=device,
                name=name,
                format=running or "",
                parameters=parameters,
                problem=_KILLED_PROBLEM if killed else child.failure or "its process exited without a result",
                exit_code=(MemoryExhaustedError if killed else NoDeviceError).exit_code,
            )
        )
    return rows


@dataclass(frozen=True, kw_only=True)
class BenchSuite:
    """The devices to measure; None among the GPUs is the CPU."""

    machine: Machine
    gpus: tuple[Gpu | None, ...]
    findings: tuple[Finding, ...]
    limit_seconds: float  # per device
    on_device: Callable[[str], None] = lambda device: None

    def run(self, job_of: Callable[[Gpu | None], BenchJob]) -> list[BenchRow]:
        """Measure every device, each in a child process of its own."""
        rows: list[BenchRow] = []
        for gpu in self.gpus:
            job = job_of(gpu)
            parameters = {"batch_size": job.batch_size} if isinstance(job, TrainBench) else {}
            device, _ = named(gpu, self.machine)
            self.on_device(device + "".join(f", batch {size}" for size in parameters.values()))
            rows += measure(job, gpu, self.machine, self.limit_seconds, parameters)
        return rows
