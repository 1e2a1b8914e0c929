"""How many voices speak side by side on a device. Pure."""

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.budget import Budget
from voxmatrix.settings import Setting, automatic
from voxmatrix.tables.memory import memory_table

#: More processes on one GPU wait for each other rather than for memory.
MOST_ON_A_GPU = 8
#: Threads that one voice keeps busy on a CPU.
CPUS_A_VOICE = 2


def choose_parallel_voices(
    gpu: Gpu | None, machine: Machine, budget: Budget, forced: Setting[int] | None
) -> Setting[int]:
    """As memory allows; on a CPU also as its cores allow."""
    if forced is not None:
        return forced
    each = memory_table().voice_mib
    most = MOST_ON_A_GPU if gpu is not None else max(1, machine.cpus // CPUS_A_VOICE)
    limit = f"at most {most} on one GPU" if gpu is not None else f"{machine.cpus} CPUs, {CPUS_A_VOICE} a voice"
    if budget.mib is None:
        return automatic(1, budget.why)
    fitting = int(budget.mib // each)
    memory = f"{budget.mib:.0f} MiB may be taken ({budget.why}), about {each:.0f} a voice (an estimate)"
    return automatic(max(1, min(most, fitting)), f"{memory}; {limit}")
