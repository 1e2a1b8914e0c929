"""NVIDIA cards as nvidia-smi reports them, for when the NVML bindings are not installed."""

import csv
import shutil
from collections.abc import Callable

from voxmatrix.child_environment import for_engine
from voxmatrix.machine.facts import Capability, clean_text
from voxmatrix.machine.probes.nvidia import NvidiaCard
from voxmatrix.processes import run

TIMEOUT_SECONDS = 8.0
_FIELDS = "pci.bus_id,uuid,name,compute_cap,memory.total,memory.free,driver_version,mig.mode.current"
#: Drivers before 510 do not support compute_cap, those before 450 do not support MIG.
_OLD_FIELDS = "pci.bus_id,uuid,name,memory.total,memory.free,driver_version"

#: Runs the program with these arguments and returns its output, or None if it fails.
Query = Callable[[list[str]], str | None]


def read_cards(query: Query | None = None) -> tuple[NvidiaCard, ...]:
    """All cards; none if nvidia-smi is not installed."""
    query = query or _query
    for fields in (_FIELDS, _OLD_FIELDS):
        output = query([f"--query-gpu={fields}", "--format=csv,noheader,nounits"])
        if output is not None:
            return parse_cards(output, fields)
    return ()


def parse_cards(output: str, fields: str = _FIELDS) -> tuple[NvidiaCard, ...]:
    """The cards in a CSV table without header and units; values such as `[N/A]` are unknown."""
    names = fields.split(",")
    rows = csv.reader(output.splitlines(), skipinitialspace=True)
    return tuple(_card(dict(zip(names, row, strict=True))) for row in rows if len(row) == len(names))


def _card(row: dict[str, str]) -> NvidiaCard:
    return NvidiaCard(
        bus=row["pci.bus_id"],
        uuid=_text(row["uuid"]),
        name=_text(row["name"]),
        capability=_capability(row.get("compute_cap", "")),
        memory_mib=_number(row["memory.total"]),
        free_mib=_number(row["memory.free"]),
        driver=_text(row["driver_version"]),
        mig=row.get("mig.mode.current") == "Enabled",
    )


def _capability(text: str) -> Capability | None:
    try:
        return Capability.parse(text.strip())
    except ValueError:
        return None


def _text(text: str) -> str | None:
    text = text.strip()
    return None if text.strip("[]").lower() in ("", "n/a", "not supported", "unknown error") else clean_text(text)


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isdecimal() and int(text) > 0 else None


def _query(arguments: list[str]) -> str | None:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    done = run([program, *arguments], environment=for_engine(), timeout_seconds=TIMEOUT_SECONDS)
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
