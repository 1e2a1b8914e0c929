"""A pretended computer: the small files of a kernel, and what psutil says."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest


def pretend(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def card(root: Path, number: int, bus: str, **files: str) -> None:
    """An adapter of /sys/class/drm at an address on the bus."""
    place = f"sys/devices/pci0000:00/{bus}"
    pretend(root, {f"{place}/{name}": text + "\n" for name, text in files.items()})
    link = root / f"sys/class/drm/card{number}"
    link.mkdir(parents=True)
    try:
        (link / "device").symlink_to(root / place)
    except OSError:
        pytest.skip("this system makes no symbolic links")
    (root / f"sys/class/drm/card{number}-HDMI-A-1").mkdir()


def pretend_memory(monkeypatch: pytest.MonkeyPatch, total_mib: int, available_mib: int) -> None:
    memory = SimpleNamespace(total=total_mib * 1024 * 1024, available=available_mib * 1024 * 1024)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)
