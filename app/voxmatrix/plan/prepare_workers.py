"""How many processes check recordings. Pure."""

from voxmatrix.machine.facts import Machine
from voxmatrix.settings import Setting, automatic

MOST = 16


def choose_prepare_workers(machine: Machine, forced: Setting[int] | None) -> Setting[int]:
    """One for each CPU that this process may use, within reason."""
    if forced is not None:
        return forced
    cpus = f"this process may use {machine.cpus} CPU{'s' * (machine.cpus != 1)}"
    if machine.cpus > MOST:
        return automatic(MOST, f"{cpus}; more than {MOST} only wait for the disk")
    return automatic(max(1, machine.cpus), f"{cpus}, one process each")
