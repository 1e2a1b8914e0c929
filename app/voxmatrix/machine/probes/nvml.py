"""NVIDIA's cards through NVML, the library that nvidia-smi asks as well."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from voxmatrix.machine.facts import Capability, printable
from voxmatrix.machine.probes.nvidia import MigSlice, NvidiaCard

T = TypeVar("T")
_MIB = 1024 * 1024


def read_cards(nvml: Any) -> tuple[NvidiaCard, ...]:
    """Every card; `nvml` is the module pynvml, or what a test gives instead.

    Raises:
        nvml.NVMLError: there is no driver, or it does not answer.
    """
    nvml.nvmlInit()
    try:
        driver = _text(nvml.nvmlSystemGetDriverVersion())
        count = nvml.nvmlDeviceGetCount()
        read = (asked(nvml, partial(_card, nvml, number, driver)) for number in range(count))
        # A card that has fallen off the bus is still there for people to see, after those that answer.
        return tuple(card or NvidiaCard(bus=f"ffffffff:{number:x}", driver=driver) for number, card in enumerate(read))
    finally:
        nvml.nvmlShutdown()


def _card(nvml: Any, number: int, driver: str) -> NvidiaCard:
    handle = nvml.nvmlDeviceGetHandleByIndex(number)
    capability = asked(nvml, lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle))
    total_mib, free_mib = memory_mib(nvml, handle)
    mig = asked(nvml, lambda: nvml.nvmlDeviceGetMigMode(handle)[0] == nvml.NVML_DEVICE_MIG_ENABLE) or False
    return NvidiaCard(
        bus=_text(nvml.nvmlDeviceGetPciInfo(handle).busId),
        uuid=asked(nvml, lambda: _text(nvml.nvmlDeviceGetUUID(handle))),
        name=asked(nvml, lambda: printable(_text(nvml.nvmlDeviceGetName(handle)))),
        capability=None if capability is None else Capability(*capability),
        memory_mib=total_mib,
        free_mib=free_mib,
        driver=driver,
        mig=mig,
        slices=_slices(nvml, handle) if mig else (),
    )


def _slices(nvml: Any, handle: Any) -> tuple[MigSlice, ...]:
    most = asked(nvml, lambda: int(nvml.nvmlDeviceGetMaxMigDeviceCount(handle))) or 0
    places = (asked(nvml, partial(_slice, nvml, handle, place)) for place in range(most))
    return tuple(part for part in places if part is not None)


def _slice(nvml: Any, handle: Any, place: int) -> MigSlice:
    part = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, place)  # raises "not found" for a place without one
    total_mib, free_mib = memory_mib(nvml, part)
    name = asked(nvml, lambda: printable(_text(nvml.nvmlDeviceGetName(part))))
    return MigSlice(uuid=_text(nvml.nvmlDeviceGetUUID(part)), name=name, memory_mib=total_mib, free_mib=free_mib)


def memory_mib(nvml: Any, handle: Any) -> tuple[int | None, int | None]:
    """All, and what is free of it."""
    info = asked(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
    # Some drivers of computers with unified memory say 0 instead of "not supported".
    return (info.total // _MIB, info.free // _MIB) if info is not None and info.total > 0 else (None, None)


def asked(nvml: Any, question: Callable[[], T]) -> T | None:
    """One fact, or None where this card or this driver has no answer to it."""
    try:
        return question()
    except nvml.NVMLError:
        return None


def _text(value: str | bytes) -> str:
    """Older bindings answer in bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
