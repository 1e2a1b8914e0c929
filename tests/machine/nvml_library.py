"""What every pretended NVML has: it is opened and closed, and a fact that is None is "not supported"."""
# ruff: noqa: N802

from typing import Any


class NVMLError(Exception):
    """As pynvml calls it."""


class NvmlLibrary:
    """Begin with this, and add the functions that are asked."""

    NVMLError = NVMLError

    def __init__(self, *devices: Any) -> None:
        self.devices = devices
        self.open = 0

    def nvmlInit(self) -> None:
        self.open += 1

    def nvmlShutdown(self) -> None:
        self.open -= 1

    def supported(self, fact: Any) -> Any:
        if fact is None:
            raise NVMLError("Not Supported")
        return fact
