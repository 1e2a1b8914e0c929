"""AMD and Intel GPUs on Linux, from /sys/class/drm and AMD's compute driver (/sys/class/kfd)."""

import re
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.facts import Gpu, GpuKind, clean_text
from voxmatrix.machine.probes.nvidia import bus_number
from voxmatrix.tables.gpus import intel_target

_MIB = 1024 * 1024
#: PCI vendor ids (pci.ids); NVIDIA cards are read elsewhere.
_VENDORS: dict[str, tuple[GpuKind, str]] = {"0x1002": ("rocm", "AMD"), "0x8086": ("xpu", "Intel")}
#: The fixed PCI address of Intel's integrated graphics.
_INTEGRATED_INTEL = "0000:00:02.0"


def read_adapters(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """All AMD and Intel adapters, as `adapter_folders` orders them; each kind is numbered from 0."""
    found: list[Gpu] = []
    for folder, vendor in adapter_folders(root):
        index = sum(gpu.kind == vendor[0] for gpu in found)
        found.append(_adapter(root, folder, index, *vendor))
    return tuple(found)


def adapter_folders(root: Path = Path("/")) -> Iterator[tuple[Path, tuple[GpuKind, str]]]:
    """The folder, kind and vendor of all AMD and Intel adapters, in bus order; Intel's integrated graphics come last.

    torch does not number those if there is another Intel GPU.
    """
    cards = [card for card in (root / "sys/class/drm").glob("card*") if re.fullmatch(r"card[0-9]+", card.name)]
    folders = {(card / "device").resolve() for card in cards}
    for folder in sorted(folders, key=lambda path: (path.name == _INTEGRATED_INTEL, bus_number(path.name), str(path))):
        vendor = _VENDORS.get(read_text_or_empty(folder / "vendor").strip())
        if vendor is not None:
            yield folder, vendor


def _adapter(root: Path, folder: Path, index: int, kind: GpuKind, vendor: str) -> Gpu:
    total, used = read_bytes(folder / "mem_info_vram_total"), read_bytes(folder / "mem_info_vram_used")
    total = total or read_bytes(folder / "tile0" / "physical_vram_size_bytes")  # Intel's xe driver
    unique = read_text_or_empty(folder / "unique_id").strip()
    product = read_text_or_empty(folder / "product_name").strip()
    device = read_text_or_empty(folder / "device")
    return Gpu(
        index=index,
        kind=kind,
        name=clean_text(product or f"{vendor} GPU {device}"),
        uuid=f"GPU-{unique}" if unique.isalnum() else None,  # the form that ROCm uses
        target=read_gfx_target(root, folder.name) if kind == "rocm" else intel_target(device),
        memory_mib=None if total is None else total // _MIB,
        free_mib=None if total is None or used is None else max(0, total - used) // _MIB,
        unified=kind == "xpu" and total is None and folder.name == _INTEGRATED_INTEL,
    )


def read_gfx_target(root: Path, bus: str) -> str | None:
    """The gfx target of an AMD GPU, such as gfx90a; None if the compute driver does not have it."""
    place = re.fullmatch(r"([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", bus)
    if place is None:
        return None
    domain, number, slot, function = (int(part, 16) for part in place.groups())
    for node in sorted((root / "sys/class/kfd/kfd/topology/nodes").glob("*/properties")):
        facts = dict(re.findall(r"^(\w+) ([0-9]{1,20})$", read_text_or_empty(node), re.MULTILINE))
        version = int(facts.get("gfx_target_version", "0"))
        here = int(facts.get("domain", "0")), int(facts.get("location_id", "0"))
        if version and here == (domain, number << 8 | slot << 3 | function):
            return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
    return None


def read_bytes(path: Path) -> int | None:
    """A number of bytes written by a driver, decimal or hexadecimal; 0 means unknown (None)."""
    text = read_text_or_empty(path).strip()
    return int(text, 0) if re.fullmatch(r"0x[0-9a-fA-F]+|[1-9][0-9]*|0", text) and int(text, 0) > 0 else None
