"""Peak memory of this process."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.compute.device import backend
from voxmatrix.files import read_text_or_empty

if TYPE_CHECKING:
    import torch

_MIB = 1024 * 1024


def peak_mib(device: "torch.device") -> float | None:
    """The peak of torch's reserved memory on a GPU, of the process on the CPU; None if unknown (DirectML)."""
    module = backend(device)
    if module is not None:
        return float(module.max_memory_reserved(device) / _MIB)
    return resident_mib() if device.type == "cpu" else None


def resident_mib(status: Path = Path("/proc/self/status")) -> float | None:
    """The peak resident memory of this process; None if the system does not provide it."""
    # Not ru_maxrss on Linux: a child inherits its parent's peak.
    found = re.search(r"^VmHWM:\s+(\d+) kB$", read_text_or_empty(status), re.MULTILINE)
    if found:
        return int(found[1]) / 1024
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (_MIB if sys.platform == "darwin" else 1024)
