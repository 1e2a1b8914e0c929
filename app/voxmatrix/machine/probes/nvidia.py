"""NVIDIA's cards as their driver lists them, and which of them CUDA shows to this process. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from voxmatrix.machine.facts import Capability, Gpu


@dataclass(frozen=True, kw_only=True)
class MigSlice:
    """A part of a card under MIG, with its own memory."""

    uuid: str
    name: str | None = None
    memory_mib: int | None = None
    free_mib: int | None = None


@dataclass(frozen=True, kw_only=True)
class NvidiaCard:
    """One card in the computer.

    `memory_mib` is None where the driver says "not supported": memory is shared there, unless nothing at all is known.
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


def visible_gpus(cards: Sequence[NvidiaCard], wanted: str | None) -> tuple[Gpu, ...]:
    """The GPUs that CUDA shows, in its order, under `wanted`: the value of CUDA_VISIBLE_DEVICES, None when unset.

    `index` counts in the order of the bus, each MIG slice as one, whatever `wanted` hides.
    """
    ordered = sorted(cards, key=lambda card: bus_number(card.bus))
    by_card: list[list[Gpu]] = []
    first = 0
    for card in ordered:
        gpus = _gpus(card, first)
        first += len(gpus)
        by_card.append(gpus)
    if wanted is None:
        return tuple(gpu for gpus in by_card for gpu in gpus)
    return _wanted(ordered, by_card, [word.strip() for word in wanted.split(",")])


def bus_number(bus: str) -> tuple[int, ...]:
    """What an address on the PCI bus sorts by: domain, bus, device, function, all in hexadecimal."""
    return tuple(int(part, 16) for part in re.findall(r"[0-9A-Fa-f]+", bus))


def _gpus(card: NvidiaCard, first: int) -> list[Gpu]:
    if card.mig and card.slices:
        return [
            Gpu(
                index=first + place,
                kind="cuda",
                name=part.name or card.name,
                uuid=part.uuid,
                capability=card.capability,
                memory_mib=part.memory_mib,
                free_mib=part.free_mib,
                driver=card.driver,
                mig=True,
            )
            for place, part in enumerate(card.slices)
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


def _wanted(cards: Sequence[NvidiaCard], by_card: list[list[Gpu]], words: list[str]) -> tuple[Gpu, ...]:
    """CUDA's rules: a wrong entry hides itself and the rest, one named twice hides all."""
    chosen: list[Gpu] = []
    prefix = next((prefix for prefix in ("GPU-", "MIG-") if words[0].startswith(prefix)), "")
    for word in words:
        gpu = _named(cards, by_card, word, prefix) if prefix else _numbered(by_card, word)
        if gpu is None:
            break
        if gpu in chosen:
            return ()
        chosen.append(gpu)
    return tuple(chosen)


def _numbered(by_card: list[list[Gpu]], word: str) -> Gpu | None:
    """A number counts cards; of one under MIG, CUDA takes the first slice."""
    digits = re.match(r"\+?([0-9]+)", word)
    if digits is None or int(digits[1]) >= len(by_card):
        return None
    return by_card[int(digits[1])][0]


def _named(cards: Sequence[NvidiaCard], by_card: list[list[Gpu]], word: str, prefix: str) -> Gpu | None:
    """An id may be cut short as long as only one begins so."""
    if not word.startswith(prefix):
        return None
    if prefix == "GPU-":
        found = [gpus[0] for card, gpus in zip(cards, by_card, strict=True) if (card.uuid or "").startswith(word)]
    else:
        found = [gpu for gpus in by_card for gpu in gpus if gpu.mig and (gpu.uuid or "").startswith(word)]
    return found[0] if len(found) == 1 else None
