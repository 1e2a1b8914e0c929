"""NVIDIA Jetson boards, which may lack NVML: the kernel's device tree names the chip."""

from pathlib import Path

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.facts import Capability, clean_text
from voxmatrix.machine.probes.nvidia import NvidiaCard

#: Chip → capability (developer.nvidia.com/cuda-gpus and cuda-legacy-gpus): Nano, TX2, Xavier, Orin, Thor.
_CHIPS = {
    "nvidia,tegra210": Capability(5, 3),
    "nvidia,tegra186": Capability(6, 2),
    "nvidia,tegra194": Capability(7, 2),
    "nvidia,tegra234": Capability(8, 7),
    "nvidia,tegra264": Capability(11, 0),
}


def read_cards(root: Path = Path("/")) -> tuple[NvidiaCard, ...]:
    """The GPU of a Jetson board, which shares the computer's memory; none on other computers."""
    tree = root / "proc" / "device-tree"
    chips = [chip for chip in read_text_or_empty(tree / "compatible").split("\0") if chip in _CHIPS]
    if not chips:
        return ()
    name = clean_text(read_text_or_empty(tree / "model"))
    return (NvidiaCard(bus="0", name=name or chips[0], capability=_CHIPS[chips[0]]),)
