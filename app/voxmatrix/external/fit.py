"""Whether an engine, or one of its weights, can be computed on this computer, and where."""

import sys
from dataclasses import dataclass

from voxmatrix.errors import NoDeviceError
from voxmatrix.external.manifest import Manifest
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.arithmetic import Arithmetic
from voxmatrix.tables.rows import meets


@dataclass(frozen=True)
class Fit:
    """Whether an engine, or one of its weights, can be computed here."""

    device: str  # the best one: cuda:0, cpu; "" if there is none
    reasons: tuple[str, ...]  # why not on another


def fit(manifest: Manifest, machine: Machine) -> Fit:
    """The best device for an engine, and why it is not computed on the others."""
    needs = (
        ("Python", ".".join(map(str, sys.version_info[:3])), manifest.engine.python),
        ("torch", machine.torch.version.partition("+")[0] if machine.torch else "", manifest.engine.torch),
    )
    for what, found, wanted in needs:
        if not found:
            return Fit("", (f"it needs {what}, which is not installed",))
        if not meets(found, wanted):
            return Fit("", (f"it needs {what} {wanted}, and this is {found}",))
    run, memory = manifest.run, manifest.run.memory.fixed_mib
    arithmetic = Arithmetic(dtypes=run.dtypes, refuse=run.refuse, attention=run.attention, kinds=manifest.engine.kinds)
    reasons: list[str] = []
    gpus: tuple[Gpu | None, ...] = (*machine.gpus, None)
    for gpu in gpus:
        device, has = (gpu.device, gpu.memory_mib) if gpu else ("cpu", machine.memory_mib)
        try:
            needed = arithmetic.memory_mib(memory, gpu, arithmetic.dtype(gpu).value).value
        except NoDeviceError as error:
            reasons.append(f"{device}: {error.problem}")
            continue
        if gpu and machine.torch and machine.torch.built_for != gpu.kind:
            reasons.append(f"{device}: this torch is not built for it")
        elif has is not None and needed > has:
            reasons.append(f"{device}: it takes {needed:,.0f} MiB of memory, and there are {has:,}")
        else:
            return Fit(device, tuple(reasons))
    return Fit("", tuple(reasons))


def check_fit(name: str, manifest: Manifest, machine: Machine) -> Fit:
    """`fit` of what is to be installed.

    Raises:
        NoDeviceError: no device of this computer computes it.
    """
    found = fit(manifest, machine)
    if not found.device:
        raise NoDeviceError(f"{name} cannot be computed here: {'; '.join(found.reasons)}", "choose another engine")
    return found
