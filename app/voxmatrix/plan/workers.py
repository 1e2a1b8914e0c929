"""How many processes load batches while the device computes. Pure."""

from voxmatrix.machine.facts import Machine
from voxmatrix.machine.probes.limits import Limits
from voxmatrix.settings import Setting, automatic

#: Batches that each worker keeps ready (torch's DataLoader default); all of them lie in shared memory.
PREFETCH = 2
#: Reading int16 arrays is cheap: more workers than this only cost memory.
MOST_WORKERS = 4
_MIB = 1024 * 1024


def choose_workers(limits: Limits, batch_bytes: int, device: str, forced: int | None = None) -> Setting[int]:
    """DataLoader workers for batches of at most `batch_bytes`, with the reason.

    A forced number wins, also against a small /dev/shm: whoever gives it may know better.
    """
    if forced is not None:
        return Setting(value=forced, reason="given by --workers", source="flag")
    if device == "cpu":
        return automatic(0, "the CPUs are busy with training; reading a batch takes them milliseconds")
    wanted = min(MOST_WORKERS, limits.cpus - 1)
    if wanted < 1:
        return automatic(0, f"this process may use {limits.cpus} CPU")
    return _within_shm(wanted, limits, batch_bytes)


def plan_workers(machine: Machine, batch_bytes: int, device: str, forced: Setting[int] | None) -> Setting[int]:
    """The same for a described computer; `device` is its kind: cpu, cuda …"""
    if forced is not None:
        return forced
    shm = None if machine.shm_mib is None else machine.shm_mib * _MIB
    return choose_workers(Limits(cpus=machine.cpus, shm_free_bytes=shm), batch_bytes, device)


def _within_shm(wanted: int, limits: Limits, batch_bytes: int) -> Setting[int]:
    if limits.shm_free_bytes is None:
        return automatic(wanted, f"{limits.cpus} CPUs, and no /dev/shm that could be too small")
    # One batch more than is kept ready: the one in use is freed only after the next has come.
    each = batch_bytes * (PREFETCH + 1)
    fitting = limits.shm_free_bytes // max(each, 1)
    free, need = f"{limits.shm_free_bytes / _MIB:.0f} MiB", f"{each / _MIB:.0f} MiB"
    if fitting >= wanted:
        return automatic(wanted, f"{limits.cpus} CPUs; /dev/shm has {free} free, a worker needs {need}")
    reason = f"/dev/shm has {free} free and a worker needs {need}; in a container give more with --shm-size"
    return automatic(fitting, reason)
