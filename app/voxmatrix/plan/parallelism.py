"""How many processes and devices work side by side. Pure."""

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.budget import Budget
from voxmatrix.settings import Setting, automatic
from voxmatrix.tables.memory import memory_table

#: Batches that each worker keeps ready (torch's DataLoader default); all of them lie in shared memory.
PREFETCH = 2
#: Reading int16 arrays is cheap: more workers than this only cost memory.
MOST_WORKERS = 4
MOST_PREPARE_WORKERS = 16
#: More processes on one GPU wait for each other rather than for memory.
MOST_VOICES_ON_A_GPU = 8
#: Threads that one voice keeps busy on a CPU.
CPUS_A_VOICE = 2
_MIB = 1024 * 1024


def choose_devices(gpu: Gpu | None, machine: Machine, forced: Setting[int] | None) -> Setting[int]:
    """Devices that train one voice together.

    One, unless somebody says more: what is learned is the same, and the others stay free for other work.
    """
    if forced is not None:
        return forced
    alike = [other for other in machine.gpus if gpu is not None and other.kind == gpu.kind]
    if len(alike) > 1:
        return automatic(1, f"--devices {len(alike)} trains on all GPUs of this kind; the others stay free otherwise")
    return automatic(1, "one process on one device")


def choose_workers(machine: Machine, batch_bytes: int, device: str, forced: Setting[int] | None) -> Setting[int]:
    """Processes that load batches of at most `batch_bytes` while a device of this kind computes: cpu, cuda …

    A forced number wins, also against a small /dev/shm: whoever gives it may know better.
    """
    if forced is not None:
        return forced
    if device == "cpu":
        return automatic(0, "the CPUs are busy with training; reading a batch takes them milliseconds")
    wanted = min(MOST_WORKERS, machine.cpus - 1)
    if wanted < 1:
        return automatic(0, f"this process may use {machine.cpus} CPU")
    if machine.shm_mib is None:
        return automatic(wanted, f"{machine.cpus} CPUs, and no /dev/shm that could be too small")
    # One batch more than is kept ready: the one in use is freed only after the next has come.
    each = batch_bytes * (PREFETCH + 1)
    fitting = machine.shm_mib * _MIB // max(each, 1)
    free, need = f"{machine.shm_mib} MiB", f"{each / _MIB:.0f} MiB"
    if fitting >= wanted:
        return automatic(wanted, f"{machine.cpus} CPUs; /dev/shm has {free} free, a worker needs {need}")
    reason = f"/dev/shm has {free} free and a worker needs {need}; in a container give more with --shm-size"
    return automatic(fitting, reason)


def choose_prepare_workers(machine: Machine, forced: Setting[int] | None) -> Setting[int]:
    """Processes that check recordings: one for each CPU that this process may use, within reason."""
    if forced is not None:
        return forced
    cpus = f"this process may use {machine.cpus} CPU{'s' * (machine.cpus != 1)}"
    if machine.cpus > MOST_PREPARE_WORKERS:
        return automatic(MOST_PREPARE_WORKERS, f"{cpus}; more than {MOST_PREPARE_WORKERS} only wait for the disk")
    return automatic(max(1, machine.cpus), f"{cpus}, one process each")


def choose_parallel_voices(
    gpu: Gpu | None, machine: Machine, budget: Budget, forced: Setting[int] | None
) -> Setting[int]:
    """Voices that speak side by side on a device: as memory allows; on a CPU also as its cores allow."""
    if forced is not None:
        return forced
    each = memory_table().voice_mib
    most = MOST_VOICES_ON_A_GPU if gpu is not None else max(1, machine.cpus // CPUS_A_VOICE)
    limit = f"at most {most} on one GPU" if gpu is not None else f"{machine.cpus} CPUs, {CPUS_A_VOICE} a voice"
    if budget.mib is None:
        return automatic(1, budget.why)
    fitting = int(budget.mib // each)
    memory = f"{budget.mib:.0f} MiB may be taken ({budget.why}), about {each:.0f} a voice (an estimate)"
    return automatic(max(1, min(most, fitting)), f"{memory}; {limit}")
