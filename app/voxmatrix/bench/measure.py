"""One device is measured: its child is run, and what it said becomes rows."""

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

BenchJob = MatmulBench | SpeakBench | TrainBench
#: How Linux ends a process when memory is out.
_KILLED = -9
_KILLED_SAID = "the system killed its process (signal 9), as it does when memory is out"


def measure(
    job: BenchJob, gpu: Gpu | None, machine: Machine, limit_seconds: float, given: Mapping[str, int]
) -> list[BenchRow]:
    """The rows of this GPU (None: the CPU), measured in a child process of at most `limit_seconds`."""
    where, (device, name) = place(gpu), named(gpu, machine)
    prepare_environment(choose_allocator(gpu, machine).value, where.environment)
    asked = {"benchmark": job.benchmark, "device": where.device, "name": name, "job": asdict(job)}
    # entrypoint patches what upstream broke, here as for the command itself; no import: it stands above us.
    words = ["-m", "voxmatrix_entrypoint.child", "voxmatrix.bench.child", json.dumps(asked)]
    return read_rows(run_child(words, where.environment, limit_seconds), device, name, given)


def read_rows(ended: ChildResult, device: str, name: str | None, given: Mapping[str, int]) -> list[BenchRow]:
    """What a child said, a row a part; how it ended is the problem of the part that it had begun last."""
    rows: list[BenchRow] = []
    begun: str | None = ""
    for line in json_objects(ended.said):
        if "started" in line:
            begun = line["started"]
            continue
        if "part" not in line:
            continue
        begun, part = None, line.pop("part")
        rows.append(BenchRow(device=device, name=name, format=part, given=given, **line))
    if begun is not None or not rows:
        killed = ended.code == _KILLED
        rows.append(
            BenchRow(
                device=device,
                name=name,
                format=begun or "",
                given=given,
                problem=_KILLED_SAID if killed else ended.ending or "its process ended without a word",
                exit_code=(MemoryExhaustedError if killed else NoDeviceError).exit_code,
            )
        )
    return rows
