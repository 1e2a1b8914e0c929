"""NVIDIA cards as the driver lists them, and which of them CUDA_VISIBLE_DEVICES selects. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from voxmatrix.machine.facts import Capability, Gpu


@dataclass(frozen=True, kw_only=True)
class MigSlice:
    """A MIG slice of a card, with its own memory."""

    uuid: str
    name: str | None = None
    memory_mib: int | None = None
    free_mib: int | None = None


@dataclass(frozen=True, kw_only=True)
class NvidiaCard:
    """One card in the computer.

    `memory_mib` is None if the driver reports "not supported": the memory is shared, unless the card is unreadable.
    """

    bus: str  # 00000000:01:00.0
    uuid: str | None = None
    name: str | None = None
    capability: Capability | None = None
    memory_mib: int | None = None
    free_mib: int | None = None
    driver: str | None = None
    mig: bool = False
    slices: tuple[MigSlice, ...] = ()


def visible_gpus(cards: Sequence[NvidiaCard], visible_devices: str | None) -> tuple[Gpu, ...]:
    """The GPUs that CUDA shows, in its order; `visible_devices` is CUDA_VISIBLE_DEVICES, None if unset.

    `index` follows bus order, counts each MIG slice as one, and does not depend on `visible_devices`.
    """
    ordered = sorted(cards, key=lambda card: bus_number(card.bus))
    by_card: list[list[Gpu]] = []
    first = 0
    for card in ordered:
        gpus = _gpus(card, first)
        first += len(gpus)
        by_card.append(gpus)
    if visible_devices is None:
        return tuple(gpu for gpus in by_card for gpu in gpus)
    return _select(ordered, by_card, [entry.strip() for entry in visible_devices.split(",")])


def bus_number(bus: str) -> tuple[int, ...]:
    """The sort key of a PCI address: domain, bus, device and function, all in hexadecimal."""
    return tuple(int(part, 16) for part in re.findall(r"[0-9A-Fa-f]+", bus))


def _gpus(card: NvidiaCard, first: int) -> list[Gpu]:
    if card.mig and card.slices:
        return [
            Gpu(
                index=first + number,
                kind="cuda",
                name=part.name or card.name,
                uuid=part.uuid,
                capability=card.capability,
                memory_mib=part.memory_mib,
                free_mib=part.free_mib,
                driver=card.driver,
                mig=True,
            )
            for number, part in enumerate(card.slices)
        ]
    return [
        Gpu(
            index=first,
            kind="cuda",
            name=card.name,
            uuid=card.uuid,
            capability=card.capability,
            memory_mib=None if card.mig else card.memory_mib,
            free_mib=None if card.mig else card.free_mib,
            driver=card.driver,
            unified=card.memory_mib is None and card.capability is not None and not card.mig,
            mig=card.mig,
        )
    ]


def _select(cards: Sequence[NvidiaCard], by_card: list[list[Gpu]], entries: list[str]) -> tuple[Gpu, ...]:
    """Apply CUDA's rules: an invalid entry hides itself and all later ones; a repeated entry hides all GPUs."""
    selected: list[Gpu] = []
    prefix = next((prefix for prefix in ("GPU-", "MIG-") if entries[0].startswith(prefix)), "")
    for entry in entries:
        gpu = _by_uuid(cards, by_card, entry, prefix) if prefix else _by_number(by_card, entry)
        if gpu is None:
            break
        if gpu in selected:
            return ()
        selected.append(gpu)
    return tuple(selected)


def _by_number(by_card: list[list[Gpu]], entry: str) -> Gpu | None:
    """Numbers count cards; on a card in MIG mode, CUDA uses the first slice."""
    digits = re.match(r"\+?([0-9]+)", entry)
    if digits is None or int(digits[1]) >= len(by_card):
        return None
    return by_card[int(digits[1])][0]


def _by_uuid(cards: Sequence[NvidiaCard], by_card: list[list[Gpu]], entry: str, prefix: str) -> Gpu | None:
    """A uuid may be abbreviated as long as it is unique."""
    if not entry.startswith(prefix):
        return None
    if prefix == "GPU-":
        found = [gpus[0] for card, gpus in zip(cards, by_card, strict=True) if (card.uuid or "").startswith(entry)]
    else:
        found = [gpu for gpus in by_card for gpu in gpus if gpu.mig and (gpu.uuid or "").startswith(entry)]
    return found[0] if len(found) == 1 else None
