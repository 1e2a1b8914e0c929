"""Computers to plan for, and a judge that looks at names only: voxmatrix.plan.verdict has its own tests."""

from typing import Any

from voxmatrix.machine.facts import Capability, Gpu, Machine
from voxmatrix.plan.verdict import Assessment, Verdict


def _judged(verdict: Verdict | None, reason: str, remedy: str = "") -> Assessment:
    return Assessment(verdict=verdict, reason=reason, remedy=remedy, image="cuda")


def assess(gpu: Gpu, machine: Machine) -> Assessment:
    """Too new above 13.0, too old a driver when it says so, otherwise usable."""
    if gpu.capability and gpu.capability >= (13, 0):
        return _judged("unsupported", "this torch has no kernels for sm_130", "use image future")
    if gpu.driver == "old":
        return _judged("driver-too-old", "the driver is too old", "install driver 580")
    if gpu.kind != "cuda" or gpu.capability is None:
        return _judged(None, "there is nothing to judge by")
    return _judged("native", "this torch has kernels for it")


def gpu(name: str, capability: str | None, memory_mib: int | None, **more: Any) -> Gpu:
    facts: dict[str, Any] = {"index": 0, "kind": "cuda", "free_mib": memory_mib, **more}
    known = Capability.parse(capability) if capability else None
    return Gpu(name=name, capability=known, memory_mib=memory_mib, **facts)


def machine(*gpus: Gpu, **more: Any) -> Machine:
    facts: dict[str, Any] = {
        "platform": "linux",
        "cpus": 16,
        "memory_mib": 65536,
        "available_mib": 60000,
        "shm_mib": 8192,
    }
    return Machine(**{**facts, **more}, gpus=gpus)


RTX_3060 = gpu("NVIDIA GeForce RTX 3060", "8.6", 12288)
T4 = gpu("Tesla T4", "7.5", 15360)
ARC = gpu("Intel Arc A770", None, 16384, kind="directml")
