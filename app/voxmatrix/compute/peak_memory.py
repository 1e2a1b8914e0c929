"""The most memory that this process has had."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.files import read_text_or_empty

if TYPE_CHECKING:
    import torch

_MIB = 1024 * 1024


def peak_mib(device: "torch.device") -> float | None:
    """Of a CUDA GPU, what torch kept there at most; of the CPU, the process; None where nobody says (DirectML)."""
    import torch

    if device.type == "cuda":
        return torch.cuda.max_memory_reserved(device) / _MIB
    return resident_mib() if device.type == "cpu" else None


def resident_mib(status: Path = Path("/proc/self/status")) -> float | None:
    """The most that this process held of the computer's memory; None where the system does not say."""
    # Not ru_maxrss on Linux: a child begins with its parent's.
    found = re.search(r"^VmHWM:\s+(\d+) kB$", read_text_or_empty(status), re.MULTILINE)
    if found:
        return int(found[1]) / 1024
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (_MIB if sys.platform == "darwin" else 1024)
