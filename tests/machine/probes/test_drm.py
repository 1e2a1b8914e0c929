"""AMD's and Intel's adapters in pretended folders of the kernel."""

from pathlib import Path

from tests.machine.pretended import card
from voxmatrix.machine.probes.drm import read_adapters

GIB = 1024**3


def test_amd_and_intel_are_read_in_the_order_of_the_bus_and_nvidia_is_left_out(tmp_path: Path) -> None:
    card(tmp_path, 0, "0000:c1:00.0", vendor="0x1002", device="0x744c", mem_info_vram_total=str(24 * GIB))
    card(tmp_path, 1, "0000:00:02.0", vendor="0x8086", device="0x4680")
    card(tmp_path, 2, "0000:01:00.0", vendor="0x10de", device="0x2b85")
    card(
        tmp_path,
        3,
        "0000:03:00.0",
        vendor="0x1002",
        device="0x74a1",
        mem_info_vram_total=str(192 * GIB),
        mem_info_vram_used=str(2 * GIB),
        product_name="AMD Instinct MI300X",
        unique_id="ab12cd34ef567890",
    )
    intel, mi300, radeon = read_adapters(tmp_path)

    assert (intel.kind, intel.index, intel.name, intel.memory_mib, intel.unified) == (
        "xpu",
        0,
        "Intel GPU 0x4680",
        None,
        True,
    )
    assert (mi300.kind, mi300.index, mi300.name, mi300.uuid) == (
        "rocm",
        0,
        "AMD Instinct MI300X",
        "GPU-ab12cd34ef567890",
    )
    assert (mi300.memory_mib, mi300.free_mib) == (192 * 1024, 190 * 1024)
    assert (radeon.index, radeon.memory_mib, radeon.free_mib, radeon.uuid) == (1, 24 * 1024, None, None)


def test_an_intel_card_with_memory_of_its_own_says_so(tmp_path: Path) -> None:
    card(
        tmp_path,
        0,
        "0000:03:00.0",
        vendor="0x8086",
        device="0xe20b",
        **{"tile0/physical_vram_size_bytes": "0x300000000"},
    )
    (arc,) = read_adapters(tmp_path)
    assert (arc.memory_mib, arc.unified) == (12 * 1024, False)


def test_a_computer_without_adapters_has_none(tmp_path: Path) -> None:
    assert read_adapters(tmp_path) == ()
