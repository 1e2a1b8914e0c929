"""State of an AMD or Intel GPU, from the files of its kernel driver."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.probes.drm import adapter_folders, read_bytes
from voxmatrix.machine.sensors.hwmon import Heat, read_heat, read_watts
from voxmatrix.machine.sensors.reading import Reading

_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class DrmSensor:
    """Reads the adapter in `folder`; values that its driver does not provide are unknown."""

    device: str
    folder: Path
    clock: Callable[[], float] = time.monotonic

    def __call__(self) -> Reading:
        """Utilisation is available from AMD only; Intel's xe driver provides only temperature and power."""
        total, used = (read_bytes(self.folder / f"mem_info_vram_{name}") for name in ("total", "used"))
        used_mib = None if total is None or used is None else used // _MIB
        sensors = sorted((self.folder / "hwmon").glob("hwmon*"))[:1]
        heat = read_heat(sensors[0]) if sensors else Heat()
        busy = read_text_or_empty(self.folder / "gpu_busy_percent").strip()
        return Reading(
            device=self.device,
            seconds=self.clock(),
            used_mib=used_mib,
            total_mib=None if total is None else total // _MIB,
            needed_mib=used_mib,
            utilisation=min(100, int(busy)) / 100 if busy.isdecimal() and len(busy) < 4 else None,
            temperature_c=heat.temperature_c,
            throttle_c=heat.throttle_c,
            power_w=read_watts(sensors[0]) if sensors else None,
        )


def find_adapter(kind: Literal["rocm", "xpu"], bus: str | None, root: Path = Path("/")) -> Path | None:
    """The folder of the adapter at this PCI address (0000:03:00.0), or of the only one of its kind."""
    folders = [folder for folder, (found, _) in adapter_folders(root) if found == kind]
    if bus is not None:
        return next((folder for folder in folders if folder.name == bus), None)
    return folders[0] if len(folders) == 1 else None
