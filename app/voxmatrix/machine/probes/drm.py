"""AMD and Intel GPUs on Linux, as the kernel lists them in /sys/class/drm."""

import re
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.facts import Gpu, GpuKind, printable
from voxmatrix.machine.probes.nvidia import bus_number

_MIB = 1024 * 1024
#: PCI vendor ids (pci.ids); NVIDIA cards are read elsewhere.
_VENDORS: dict[str, tuple[GpuKind, str]] = {"0x1002": ("rocm", "AMD"), "0x8086": ("xpu", "Intel")}
#: The fixed PCI address of Intel's integrated graphics.
_INTEGRATED_INTEL = "0000:00:02.0"


def read_adapters(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """All AMD and Intel adapters in bus order; each kind is numbered from 0."""
    found: list[Gpu] = []
    for folder, vendor in adapter_folders(root):
        index = sum(gpu.kind == vendor[0] for gpu in found)
        found.append(_adapter(folder, index, *vendor))
    return tuple(found)


def adapter_folders(root: Path = Path("/")) -> Iterator[tuple[Path, tuple[GpuKind, str]]]:
    """The folder, kind and vendor of all AMD and Intel adapters, in bus order."""
    cards = [card for card in (root / "sys/class/drm").glob("card*") if re.fullmatch(r"card[0-9]+", card.name)]
    folders = {(card / "device").resolve() for card in cards}
    for folder in sorted(folders, key=lambda folder: (bus_number(folder.name), str(folder))):
        vendor = _VENDORS.get(read_text_or_empty(folder / "vendor").strip())
        if vendor is not None:
            yield folder, vendor


def _adapter(folder: Path, index: int, kind: GpuKind, vendor: str) -> Gpu:
    total, used = read_bytes(folder / "mem_info_vram_total"), read_bytes(folder / "mem_info_vram_used")
    total = total or read_bytes(folder / "tile0" / "physical_vram_size_bytes")  # Intel's xe driver
    unique = read_text_or_empty(folder / "unique_id").strip()
    product = read_text_or_empty(folder / "product_name").strip()
    return Gpu(
        index=index,
        kind=kind,
        name=printable(product or f"{vendor} GPU {read_text_or_empty(folder / 'device')}"),
        uuid=f"GPU-{unique}" if unique.isalnum() else None,  # the form that ROCm uses
        memory_mib=None if total is None else total // _MIB,
        free_mib=None if total is None or used is None else max(0, total - used) // _MIB,
        unified=kind == "xpu" and total is None and folder.name == _INTEGRATED_INTEL,
    )


def read_bytes(path: Path) -> int | None:
    """A number of bytes written by a driver, decimal or hexadecimal; 0 means unknown (None)."""
    text = read_text_or_empty(path).strip()
    return int(text, 0) if re.fullmatch(r"0x[0-9a-fA-F]+|[1-9][0-9]*|0", text) and int(text, 0) > 0 else None
