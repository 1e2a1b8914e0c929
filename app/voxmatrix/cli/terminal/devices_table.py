"""The devices of a computer, as a table and as rows for JSON."""

from typing import Any, Literal

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU
from voxmatrix.plan.budget import memory_budget
from voxmatrix.plan.device_selection import USED_BY
from voxmatrix.plan.image_advice import OTHER_BUILDS
from voxmatrix.plan.parallelism import choose_parallel_voices
from voxmatrix.tables.gpus import architecture

_UNKNOWN = "unknown"
#: The device has no such thing. Columns without anything else are not shown.
_NONE = "–"
#: Columns that are wrapped on a narrow terminal.
_WRAPPED = ("name", "free MiB", "driver")
_HEADERS = ("device", "name", "architecture", "capability", "MiB", "free MiB", "driver")


def as_rows(machine: Machine) -> list[dict[str, Any]]:
    """Every device, with the CPU last. Unknown facts are None."""
    cpu = {
        "device": CPU,
        "index": None,
        "kind": CPU,
        "name": machine.cpu,
        "uuid": None,
        "architecture": machine.architecture,
        "capability": None,
        "memory_mib": machine.memory_mib,
        "free_mib": machine.available_mib,
        "driver": None,
        "unified": False,
        "mig": False,
    }
    devices = zip((*machine.gpus, None), (*map(_row, machine.gpus), cpu), strict=True)
    return [row | {"parallel_voices": _parallel_voices(gpu, machine)} for gpu, row in devices]


def print_parallel_voices(machine: Machine) -> None:
    """Print how many texts each device should speak at once."""
    from rich.console import Console
    from rich.text import Text

    devices: dict[int, list[str]] = {}
    for row in as_rows(machine):
        if row["parallel_voices"]:
            devices.setdefault(row["parallel_voices"], []).append(row["device"])
    counts = [f"{number} on {', '.join(names)}" for number, names in devices.items()]
    Console().print(Text(f"Suggested --parallel-voices: {'; '.join(counts)}"))


def _parallel_voices(gpu: Gpu | None, machine: Machine) -> int | None:
    """The suggested number of parallel voices; None for a GPU that cannot speak."""
    idle = (
        gpu is not None and gpu.kind in OTHER_BUILDS and (machine.torch is None or machine.torch.built_for != gpu.kind)
    )
    if gpu is not None and (idle or gpu.kind not in USED_BY["speak"]):
        return None
    return choose_parallel_voices(gpu, machine, memory_budget(gpu, machine), None).value


def print_table(machine: Machine) -> None:
    """Print the devices to standard output."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    cells = [_cells(row) for row in as_rows(machine)]
    shown = [place for place, _ in enumerate(_HEADERS) if any(row[place] != _NONE for row in cells)]
    for header in (_HEADERS[place] for place in shown):
        side: Literal["left", "right"] = "right" if header.endswith("MiB") else "left"
        table.add_column(header, justify=side, no_wrap=header not in _WRAPPED, overflow="fold")
    for row in cells:
        # Text, not str: square brackets in the name of a GPU are not markup.
        table.add_row(*(Text(row[place]) for place in shown))
    Console().print(table)


def _row(gpu: Gpu) -> dict[str, Any]:
    row = gpu.capability and architecture(gpu.capability)
    return {
        "device": gpu.device,
        "index": gpu.index,
        "kind": gpu.kind,
        "name": gpu.name,
        "uuid": gpu.uuid,
        "architecture": row.architecture if row else None,
        "capability": str(gpu.capability) if gpu.capability else None,
        "memory_mib": gpu.memory_mib,
        "free_mib": gpu.free_mib,
        "driver": gpu.driver,
        "unified": gpu.unified,
        "mig": gpu.mig,
    }


def _cells(row: dict[str, Any]) -> list[str]:
    name = (row["name"] or _UNKNOWN) + (" (MIG slice)" if row["mig"] and "MIG" not in (row["name"] or "") else "")
    unknown_memory = "shared" if row["unified"] else _UNKNOWN
    return [
        row["device"],
        name,
        row["architecture"] or (_UNKNOWN if row["capability"] else _NONE),
        row["capability"] or _NONE,
        *(unknown_memory if row[key] is None else str(row[key]) for key in ("memory_mib", "free_mib")),
        row["driver"] or _NONE,
    ]
