"""Measurement of one device: run a child process and turn its output into rows."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from voxmatrix.bench.matmul import MatmulBench
from voxmatrix.bench.row import BenchRow, named
from voxmatrix.bench.speak import SpeakBench
from voxmatrix.bench.train import TrainBench
from voxmatrix.compute.child import ChildResult, json_objects, place, run_child
from voxmatrix.compute.device import prepare_environment
from voxmatrix.errors import MemoryExhaustedError, NoDeviceError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.torch_options import choose_allocator
from voxmatrix.processes import OUT_OF_MEMORY

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
