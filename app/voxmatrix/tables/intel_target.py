"""The kernels of torch that run on an Intel GPU, by its PCI id, read from intel_targets.toml."""

from functools import cache

from voxmatrix.tables import rows


@cache
def intel_targets() -> dict[str, str]:
    """PCI id → name of the target. PCI ids are lower-case and start with 0x."""
    return {pci_id: row["target"] for row in rows.read("intel_targets.toml")["row"] for pci_id in row["pci_ids"]}


def intel_target(pci_id: str) -> str | None:
    """The target of the GPU with this PCI id, e.g. 0xe20b; None for one that torch's XPU builds are not made for."""
    return intel_targets().get(pci_id.strip().lower())
