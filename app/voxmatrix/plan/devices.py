"""How many devices train one voice together. Pure."""

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.settings import Setting, automatic


def choose_devices(gpu: Gpu | None, machine: Machine, forced: Setting[int] | None) -> Setting[int]:
    """One, unless somebody says more: what is learned is the same, and the others stay free for other work."""
    if forced is not None:
        return forced
    alike = [other for other in machine.gpus if gpu is not None and other.kind == gpu.kind]
    if len(alike) > 1:
        return automatic(1, f"--devices {len(alike)} trains on all GPUs of this kind; the others stay free otherwise")
    return automatic(1, "one process on one device")
