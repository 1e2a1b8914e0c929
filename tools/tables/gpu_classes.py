"""The GPU table in docs/images.md: one row per group of GPUs with equal results. Verdicts assume a current driver."""

import re

from tools.tables.described import Served, columns, served
from tools.tables.written_part import with_part
from voxmatrix.machine.facts import Gpu
from voxmatrix.tables.gpus import architecture, drivers, newest

BEGIN = "<!-- written by `./run derive` from tests/machines; do not edit -->"
END = "<!-- end of the GPU table -->"
#: Display names of the kinds of GPU that are not NVIDIA's.
_KINDS = {"directml": "DirectX 12 (Windows)", "rocm": "AMD", "mps": "Apple"}
_MAX_CARDS = 5


def with_table(text: str) -> str:
    """The page with an up-to-date table.

    Raises:
        ValueError: the markers around the table are missing.
    """
    return with_part(text, BEGIN, END, table())


def table() -> str:
    """One row per class of GPU, oldest first, then the computers without an NVIDIA GPU."""
    classes: dict[tuple[str, ...], list[Served]] = {}
    for one in sorted(served(_current_driver()), key=_age):
        if "unknown" not in one.verdicts:
            classes.setdefault((*one.verdicts, f"`{one.image}`", _trains_in(one)), []).append(one)
    head = ["GPUs", "capability", *(f"`{image.name}`" for image in columns()), "best image", "trains in"]
    rows = [head, ["---"] * len(head), *([_called(alike), _capabilities(alike), *of] for of, alike in classes.items())]
    floors = ", ".join(f"{image.oldest_driver} for `{image.name}`" for image in columns())
    text = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"{text}\nThe table assumes a current driver. Minimum drivers: {floors}.\n"


def _current_driver() -> str:
    """A driver new enough for every toolkit in the tables."""
    known = newest(floor.linux for floor in drivers().toolkits.values())
    assert known is not None
    return known


def _age(one: Served) -> tuple[bool, tuple[int, ...]]:
    capability = one.gpu.capability if one.gpu else None
    return capability is None, capability or ()


def _trains_in(one: Served) -> str:
    return f"{one.precision}, on the CPU" if one.plan.device.value == "cpu" else one.precision


def _capabilities(alike: list[Served]) -> str:
    found = {one.gpu.capability: None for one in alike if one.gpu and one.gpu.capability}
    return ", ".join(map(str, found)) or "–"


def _called(alike: list[Served]) -> str:
    """Architectures with some of their cards, or the names of the other kinds of GPU."""
    gpus = [one.gpu for one in alike if one.gpu and one.gpu.capability]
    if not gpus:
        return ", ".join({_kind(one): None for one in alike})
    rows = {gpu.capability: gpu.capability and architecture(gpu.capability) for gpu in gpus}
    names = ", ".join({row.architecture if row else "newer than any image": None for row in rows.values()})
    arm = " on aarch64" if all(one.machine.architecture == "aarch64" for one in alike) else ""
    first = {gpu.capability: _short(gpu) for gpu in reversed(gpus)}  # of each capability
    cards = list(reversed(first.values())) if len(first) > 1 else list(dict.fromkeys(map(_short, gpus)))
    return f"{names}{arm}: {', '.join(cards[:_MAX_CARDS])}"


def _kind(one: Served) -> str:
    if one.gpu is None:
        return "no GPU"
    if one.gpu.kind == "xpu":
        return "Intel Arc" if one.gpu.target else "other Intel"
    if one.gpu.kind == "directml" and one.machine.wsl:
        return "DirectX 12 (WSL2)"
    on_arm = one.gpu.kind == "directml" and one.machine.architecture == "aarch64"
    return "DirectX 12 (Windows on ARM)" if on_arm else _KINDS[one.gpu.kind]


def _short(gpu: Gpu) -> str:
    """A card's name without its maker, memory and package."""
    name = re.sub(r"\b(NVIDIA|GeForce|Tesla) ", "", gpu.name or "")
    return re.sub(r"[ -](\(.*|SXM\d.*|PCIE.*|\d+GB.*)$", "", name)
