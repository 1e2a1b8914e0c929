"""AMD's and Intel's adapters in pretended folders of the kernel."""

from pathlib import Path

from tests.machine.pretended import card, pretend
from voxmatrix.machine.probes.drm import read_adapters
from voxmatrix.tables.gpus import intel_targets
from voxmatrix.tables.image import images

GIB = 1024**3


def test_amd_and_intel_are_read_in_the_order_of_the_bus_integrated_last_and_nvidia_is_left_out(tmp_path: Path) -> None:
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
    mi300, radeon, intel = read_adapters(tmp_path)

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


def node(root: Path, number: int, version: int, location: int, domain: int = 0) -> None:
    """A node of AMD's compute driver; version 0 is a CPU."""
    text = f"cpu_cores_count 0\ngfx_target_version {version}\nlocation_id {location}\ndomain {domain}\n"
    pretend(root, {f"sys/class/kfd/kfd/topology/nodes/{number}/properties": text})


def test_the_target_of_an_amd_gpu_is_that_of_its_compute_node(tmp_path: Path) -> None:
    for number, bus in enumerate(["0000:03:00.0", "0000:c1:00.0", "0001:03:00.1", "0000:d0:00.0"]):
        card(tmp_path, number, bus, vendor="0x1002", device="0x744c")
    node(tmp_path, 0, 0, 0)
    node(tmp_path, 1, 110000, 0x0300)
    node(tmp_path, 2, 90010, 0xC100)
    node(tmp_path, 3, 90402, 0x0301, domain=1)
    assert [gpu.target for gpu in read_adapters(tmp_path)] == ["gfx1100", "gfx90a", None, "gfx942"]


def test_nonsense_of_the_compute_driver_is_no_target(tmp_path: Path) -> None:
    card(tmp_path, 0, "0000:03:00.0", vendor="0x1002", device="0x744c")
    for number, text in enumerate(["", "gfx_target_version", "gfx_target_version -1\n", "\0" * 99, "9" * 99]):
        pretend(tmp_path, {f"sys/class/kfd/kfd/topology/nodes/{number}/properties": text})
    (gpu,) = read_adapters(tmp_path)
    assert gpu.target is None


def test_the_target_of_an_intel_gpu_follows_from_its_pci_id(tmp_path: Path) -> None:
    ids = ["0x56a0", "0xE20B", "0x4680", "0x64a0", ""]
    for number, device in enumerate(ids):
        card(tmp_path, number, f"0000:0{number}:00.0", vendor="0x8086", device=device)
    assert [gpu.target for gpu in read_adapters(tmp_path)] == ["dg2", "bmg", None, "lnl-m", None]


def test_every_target_of_the_image_has_its_gpus() -> None:
    assert set(images()["xpu"].targets_on("x86_64")) <= set(intel_targets().values())
    assert all(pci_id == pci_id.lower() and len(pci_id) == 6 for pci_id in intel_targets())
