"""Numbers of parallel processes and devices. Pure."""

from typing import TYPE_CHECKING

from voxmatrix.settings import Setting, automatic
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.machine.facts import Gpu, Machine
    from voxmatrix.plan.budget import Budget

#: Batches that each worker prefetches (torch's DataLoader default), in shared memory.
PREFETCH = 2
#: Reading int16 arrays is cheap: more workers only cost memory.
MAX_WORKERS = 4
MAX_PREPARE_WORKERS = 16
#: More processes on one GPU wait for each other, whatever its memory.
MAX_VOICES_ON_A_GPU = 8
#: CPUs that one voice keeps busy, unless it says otherwise.
CPUS_PER_VOICE = 2
_MIB = 1024 * 1024


def choose_devices(gpu: "Gpu | None", machine: "Machine", forced: Setting[int] | None) -> Setting[int]:
    """The number of devices that train one voice together.

    Defaults to one: the result is the same, and the other devices stay free.
    """
    if forced is not None:
        return forced
    alike = [other for other in machine.gpus if gpu and (other.kind, other.capability) == (gpu.kind, gpu.capability)]
    if gpu and gpu.mig:
        return automatic(1, "one process on one MIG slice: CUDA shows a process no other")
    if len(alike) > 1 and alike[0].kind != "xpu":  # Lightning, which starts the processes, does not support those
        return automatic(1, f"`devices={len(alike)}` trains on all GPUs of this kind; by default the others stay free")
    return automatic(1, "one process on one device")


def choose_workers(machine: "Machine", batch_bytes: int, device: str, forced: Setting[int] | None) -> Setting[int]:
    """The number of data loader workers, for batches of at most `batch_bytes` on a device of this kind (cpu, cuda …).

    A forced number always wins, even if /dev/shm seems too small.
    """
    if forced is not None:
        return forced
    if device == "cpu":
        return automatic(0, "training keeps the CPUs busy, and reading a batch takes only milliseconds")
    by_cpus = min(MAX_WORKERS, machine.cpus - 1)
    if by_cpus < 1:
        return automatic(0, f"{pluralise(machine.cpus, 'CPU')} available to this process")
    if machine.shm_mib is None:
        return automatic(by_cpus, f"{pluralise(machine.cpus, 'CPU')}; there is no /dev/shm that limits workers")
    # One batch in addition to the prefetched ones: the batch in use is freed only after the next one arrives.
    worker_bytes = batch_bytes * (PREFETCH + 1)
    by_memory = machine.shm_mib * _MIB // max(worker_bytes, 1)
    shm = f"/dev/shm has {machine.shm_mib} MiB free, a worker needs {worker_bytes / _MIB:.0f} MiB"
    if by_memory >= by_cpus:
        return automatic(by_cpus, f"{pluralise(machine.cpus, 'CPU')}; {shm}")
    return automatic(by_memory, f"{shm}; in a container set a larger --shm-size")


def choose_prepare_workers(machine: "Machine", forced: Setting[int] | None) -> Setting[int]:
    """The number of processes that check recordings: one per available CPU, up to a maximum."""
    if forced is not None:
        return forced
    cpus = f"{pluralise(machine.cpus, 'CPU')} available to this process"
    if machine.cpus > MAX_PREPARE_WORKERS:
        return automatic(MAX_PREPARE_WORKERS, f"{cpus}; more than {MAX_PREPARE_WORKERS} processes wait for the disk")
    return automatic(max(1, machine.cpus), f"{cpus}, one process each")


def choose_parallel_voices(
    gpu: "Gpu | None",
    machine: "Machine",
    budget: "Budget",
    forced: Setting[int] | None,
    *,
    voice_mib: float | None = None,
    cpus_per_voice: int = CPUS_PER_VOICE,
) -> Setting[int]:
    """The number of processes that speak on a device, limited by memory and on a CPU also by its cores.

    `voice_mib`: what a process with the voice takes, if not as usual. `cpus_per_voice`: how many CPUs it keeps busy.
    """
    if forced is not None:
        return forced
    if gpu is not None and machine.torch is not None and machine.torch.built_for == gpu.kind:
        return automatic(1, "one process on a GPU speaks many texts at once, and computes their sentences in batches")
    from voxmatrix.tables.training import memory_table

    voice_mib = voice_mib or memory_table().voice_mib
    limit = MAX_VOICES_ON_A_GPU if gpu is not None else max(1, machine.cpus // cpus_per_voice)
    why = (
        f"at most {limit} on one GPU"
        if gpu is not None
        else f"{pluralise(machine.cpus, 'CPU')}, {cpus_per_voice} per voice"
    )
    if budget.mib is None:
        return automatic(1, budget.why)
    memory = f"the budget is {budget.mib:.0f} MiB ({budget.why}), a voice needs about {voice_mib:.0f} MiB (estimated)"
    return automatic(max(1, min(limit, int(budget.mib // voice_mib))), f"{memory}; {why}")
