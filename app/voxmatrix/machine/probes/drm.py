"""AMD's and Intel's adapters on Linux, as the kernel lists them in /sys/class/drm."""

import re
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.facts import Gpu, GpuKind, printable
from voxmatrix.machine.probes.nvidia import bus_number

_MIB = 1024 * 1024
#: Vendors of the PCI bus (pci.ids); NVIDIA's cards are read elsewhere.
_VENDORS: dict[str, tuple[GpuKind, str]] = {"0x1002": ("rocm", "AMD"), "0x8086": ("xpu", "Intel")}
#: Where Intel's graphics inside a processor always sit.
_INTEGRATED_INTEL = "0000:00:02.0"


def read_adapters(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """Every adapter of AMD and Intel in the order of the bus; each kind is counted from 0."""
    found: list[Gpu] = []
    for place, vendor in adapter_folders(root):
        index = sum(gpu.kind == vendor[0] for gpu in found)
        found.append(_adapter(place, index, *vendor))
    return tuple(found)


def adapter_folders(root: Path = Path("/")) -> Iterator[tuple[Path, tuple[GpuKind, str]]]:
    """The folder, kind and maker of every adapter of AMD and Intel, in the order of the bus."""
    cards = [card for card in (root / "sys/class/drm").glob("card*") if re.fullmatch(r"card[0-9]+", card.name)]
    places = {(card / "device").resolve() for card in cards}
    for place in sorted(places, key=lambda place: (bus_number(place.name), str(place))):
        vendor = _VENDORS.get(read_text_or_empty(place / "vendor").strip())
        if vendor is not None:
            yield place, vendor


def _adapter(place: Path, index: int, kind: GpuKind, maker: str) -> Gpu:
    total, used = read_bytes(place / "mem_info_vram_total"), read_bytes(place / "mem_info_vram_used")
    total = total or read_bytes(place / "tile0" / "physical_vram_size_bytes")  # Intel's driver xe
    unique = read_text_or_empty(place / "unique_id").strip()
    product = read_text_or_empty(place / "product_name").strip()
    return Gpu(
        index=index,
        kind=kind,
        name=printable(product or f"{maker} GPU {read_text_or_empty(place / 'device')}"),
        uuid=f"GPU-{unique}" if unique.isalnum() else None,  # as ROCm calls it
        memory_mib=None if total is None else total // _MIB,
        free_mib=None if total is None or used is None else max(0, total - used) // _MIB,
        unified=kind == "xpu" and total is None and place.name == _INTEGRATED_INTEL,
    )


def read_bytes(path: Path) -> int | None:
    """A number of bytes that a driver wrote, in decimals or hexadecimals; 0 is unknown."""
    text = read_text_or_empty(path).strip()
    return int(text, 0) if re.fullmatch(r"0x[0-9a-fA-F]+|[1-9][0-9]*|0", text) and int(text, 0) > 0 else None
