"""What to know about a GPU by its architecture: precision, flash-attn, WSL2. Pure."""

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.tables.architecture import architecture

_NOTHING = "voxmatrix does not use it: nothing to do"


def advice(gpu: Gpu, machine: Machine) -> tuple[str, ...]:
    """One line per subject; none for a GPU whose architecture is unknown."""
    row = architecture(gpu.capability) if gpu.capability else None
    if row is None:
        return ()
    formats = " and ".join(name for name, has in (("bf16", row.bf16), ("TF32", row.tf32)) if has)
    return (
        f"{row.architecture}: {formats or 'neither bf16 nor TF32'} on tensor cores; {'; '.join(row.advice)}",
        f"flash-attn: {_flash(machine.flash_attention, has_kernels=row.flash)} {_NOTHING}",
        *(["WSL2: the GPU uses the driver of Windows; never install a Linux driver in WSL2"] if machine.wsl else []),
    )


def _flash(version: str | None, *, has_kernels: bool) -> str:
    kernels = "has kernels for this GPU, but" if has_kernels else "has no kernels for this GPU, and"
    return f"not installed; it {kernels}" if version is None else f"{version} is installed and {kernels}"
