"""NVIDIA's cards through the program nvidia-smi, where the bindings of NVML are not installed."""

import csv
import shutil
import subprocess
from collections.abc import Callable

from voxmatrix.machine.facts import Capability, printable
from voxmatrix.machine.probes.nvidia import NvidiaCard

TIMEOUT_SECONDS = 8.0
_FIELDS = "pci.bus_id,uuid,name,compute_cap,memory.total,memory.free,driver_version,mig.mode.current"
#: Drivers before 510 do not know compute_cap; those before 450 know no MIG.
_OLD_FIELDS = "pci.bus_id,uuid,name,memory.total,memory.free,driver_version"

#: Arguments to what the program prints, or None when it refuses.
Ask = Callable[[list[str]], str | None]


def read_cards(ask: Ask | None = None) -> tuple[NvidiaCard, ...]:
    """Every card; none where there is no such program."""
    ask = ask or _ask
    for fields in (_FIELDS, _OLD_FIELDS):
        answer = ask([f"--query-gpu={fields}", "--format=csv,noheader,nounits"])
        if answer is not None:
            return parse_cards(answer, fields)
    return ()


def parse_cards(answer: str, fields: str = _FIELDS) -> tuple[NvidiaCard, ...]:
    """The cards in a table without header and units; `[N/A]` and its like are unknown."""
    names = fields.split(",")
    rows = csv.reader(answer.splitlines(), skipinitialspace=True)
    return tuple(_card(dict(zip(names, row, strict=True))) for row in rows if len(row) == len(names))


def _card(row: dict[str, str]) -> NvidiaCard:
    return NvidiaCard(
        bus=row["pci.bus_id"],
        uuid=_known(row["uuid"]),
        name=_known(row["name"]),
        capability=_capability(row.get("compute_cap", "")),
        memory_mib=_number(row["memory.total"]),
        free_mib=_number(row["memory.free"]),
        driver=_known(row["driver_version"]),
        mig=row.get("mig.mode.current") == "Enabled",
    )


def _capability(text: str) -> Capability | None:
    try:
        return Capability.parse(text.strip())
    except ValueError:
        return None


def _known(text: str) -> str | None:
    text = text.strip()
    return None if text.strip("[]").lower() in ("", "n/a", "not supported", "unknown error") else printable(text)


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isdecimal() and int(text) > 0 else None


def _ask(words: list[str]) -> str | None:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    said = subprocess.run(
        [program, *words], capture_output=True, text=True, errors="replace", timeout=TIMEOUT_SECONDS, check=False
    )
    return said.stdout if said.returncode == 0 else None
