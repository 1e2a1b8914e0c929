"""NVIDIA cards as NVML reports them, the library behind nvidia-smi."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from voxmatrix.machine.facts import Capability, clean_text
from voxmatrix.machine.probes.nvidia import MigSlice, NvidiaCard

T = TypeVar("T")
_MIB = 1024 * 1024


def read_cards(nvml: Any) -> tuple[NvidiaCard, ...]:
    """All cards; `nvml` is the module pynvml, or a test's replacement for it.

    Raises:
        nvml.NVMLError: there is no driver, or it does not respond, or none of its cards does.
    """
    nvml.nvmlInit()
    try:
        driver = _text(nvml.nvmlSystemGetDriverVersion())
        count = nvml.nvmlDeviceGetCount()
        cards = tuple(read_or_none(nvml, partial(_card, nvml, number, driver)) for number in range(count))
        if cards and not any(cards):
            return (_card(nvml, 0, driver),)  # raises what the driver says of it
        # A card that has fallen off the bus is still listed, after the ones that respond.
        return tuple(card or NvidiaCard(bus=f"ffffffff:{number:x}", driver=driver) for number, card in enumerate(cards))
    finally:
        nvml.nvmlShutdown()


def _card(nvml: Any, number: int, driver: str) -> NvidiaCard:
    handle = nvml.nvmlDeviceGetHandleByIndex(number)
    capability = read_or_none(nvml, lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle))
    total_mib, free_mib = memory_mib(nvml, handle)
    mig = read_or_none(nvml, lambda: nvml.nvmlDeviceGetMigMode(handle)[0] == nvml.NVML_DEVICE_MIG_ENABLE) or False
    return NvidiaCard(
        bus=_text(nvml.nvmlDeviceGetPciInfo(handle).busId),
        uuid=read_or_none(nvml, lambda: _text(nvml.nvmlDeviceGetUUID(handle))),
        name=read_or_none(nvml, lambda: clean_text(_text(nvml.nvmlDeviceGetName(handle)))),
        capability=None if capability is None else Capability(*capability),
        memory_mib=total_mib,
        free_mib=free_mib,
        driver=driver,
        mig=mig,
        slices=_slices(nvml, handle) if mig else (),
    )


def _slices(nvml: Any, handle: Any) -> tuple[MigSlice, ...]:
    count = read_or_none(nvml, lambda: int(nvml.nvmlDeviceGetMaxMigDeviceCount(handle))) or 0
    slices = (read_or_none(nvml, partial(_slice, nvml, handle, index)) for index in range(count))
    return tuple(part for part in slices if part is not None)


def _slice(nvml: Any, handle: Any, index: int) -> MigSlice:
    part = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)  # raises "not found" for an unused index
    total_mib, free_mib = memory_mib(nvml, part)
    name = read_or_none(nvml, lambda: clean_text(_text(nvml.nvmlDeviceGetName(part))))
    return MigSlice(uuid=_text(nvml.nvmlDeviceGetUUID(part)), name=name, memory_mib=total_mib, free_mib=free_mib)


def memory_mib(nvml: Any, handle: Any) -> tuple[int | None, int | None]:
    """Total and free memory."""
    info = read_or_none(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
    # Some drivers of computers with unified memory report 0 instead of "not supported".
    return (info.total // _MIB, info.free // _MIB) if info is not None and info.total > 0 else (None, None)


def read_or_none(nvml: Any, query: Callable[[], T]) -> T | None:
    """The result of an NVML query; None if the card or the driver does not support it."""
    try:
        return query()
    except nvml.NVMLError:
        return None


def _text(value: str | bytes) -> str:
    """Decode: older bindings return bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
