"""Whether a batch may be tried: where memory that runs out ends the computer's programs, not ours alone. Pure."""

from collections.abc import Callable

from voxmatrix.bench.train import TrainBench
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.budget import Need, memory_budget, shares_memory
from voxmatrix.tables.memory import memory_table
from voxmatrix.tables.quality import quality


def too_large(job: TrainBench, gpu: Gpu | None, machine: Machine) -> Callable[[int], str]:
    """Says of a batch size why it must not be tried; "" where it may: a GPU's own memory may run out without harm."""
    if gpu is not None and not shares_memory(gpu):
        return lambda size: ""
    budget, table = memory_budget(gpu, machine), memory_table()
    row = table.qualities[quality(job.quality).name]
    need = Need(row=row, table=table, seconds=job.clip_seconds, half=job.precision != "fp32")

    def said(size: int) -> str:
        if budget.mib is None or need.fits(size, False, budget):
            return ""
        return f"batch {size} would take about {need.mib(size, False):.0f} of {budget.mib:.0f} MiB ({budget.why})"

    return said
