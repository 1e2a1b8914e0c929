"""What a training needs and gives: precision for each device, memory, speed, and what to expect of an amount of speech.

Read from precision.toml, memory.toml, speed.toml, amounts.toml and advice.toml.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from voxmatrix.tables import rows
from voxmatrix.wording import pluralise

Precision = Literal["fp32", "bf16", "fp16"]


@dataclass(frozen=True, kw_only=True)
class PrecisionRow:
    """One row of precision.toml."""

    device: str
    at_least: tuple[int, int] | None = None  # compute capability, for cuda
    name: str | None = None  # regular expression
    precision: Precision
    tf32: bool
    because: str
    source: str

    def fits(self, device: str, capability: tuple[int, int] | None, name: str) -> bool:
        """Whether this row applies to the device."""
        if self.device != device:
            return False
        if self.at_least is not None and (capability is None or capability < self.at_least):
            return False
        return self.name is None or re.search(self.name, name) is not None


@cache
def precision_rows() -> tuple[PrecisionRow, ...]:
    """All rows, in order of precedence."""
    table = rows.read("precision.toml")
    return tuple(_precision_row(**row) for row in table["row"])


def precision_row(device: str, capability: tuple[int, int] | None, name: str | None) -> PrecisionRow | None:
    """The first row that applies; None for a GPU of kind cuda with unknown capability."""
    table = precision_rows()
    kind = device if any(row.device == device for row in table) else "other"
    return next((row for row in table if row.fits(kind, capability, name or "")), None)


def _precision_row(at_least: str | None = None, **row: Any) -> PrecisionRow:
    if at_least is None:
        return PrecisionRow(**row)
    return PrecisionRow(at_least=rows.capability(at_least), **row)


MIB = 1024 * 1024
#: fp32 weights, their gradients and the two moments of AdamW.
_BYTES_PER_PARAMETER = 16


@dataclass(frozen=True, kw_only=True)
class MemoryRow:
    """One quality of memory.toml. 32 is fp32, 16 is fp16 or bf16."""

    parameters: int
    once_mib: float
    segment_mib_32: float
    segment_mib_16: float
    second_mib_32: float
    second_mib_16: float
    checkpointed: float
    source: str

    def clip_mib(self, seconds: float, half: bool) -> float:
        """The memory that one clip of this length adds to a batch."""
        if half:
            return self.segment_mib_16 + seconds * self.second_mib_16
        return self.segment_mib_32 + seconds * self.second_mib_32

    @property
    def base_mib(self) -> float:
        """The memory of a training without any clips."""
        return self.parameters * _BYTES_PER_PARAMETER / MIB + self.once_mib


@dataclass(frozen=True, kw_only=True)
class MemoryTable:
    """The content of memory.toml."""

    qualities: dict[str, MemoryRow]
    process_mib: float
    least_mib: float  # what a process takes at the very least
    overhead: float
    voice_mib: float  # what a process that speaks takes
    onnxruntime_mib: float  # besides its voice, if onnxruntime computes that on the CPU
    gpu_share: float
    measured_share: float  # of a GPU's own memory, if the need was measured
    shared_share: float
    unified: frozenset[rows.CapabilityPair]  # capabilities of GPUs that always share the computer's memory
    unified_targets: frozenset[str]  # targets of AMD's that share it, unless they have `own_mib` of their own
    own_mib: int


@cache
def memory_table() -> MemoryTable:
    """The table of memory.toml."""
    return parse_memory(rows.read("memory.toml"))


def parse_memory(table: dict[str, Any]) -> MemoryTable:
    """Build the table from the content of the file."""
    return MemoryTable(
        qualities={name: MemoryRow(**row) for name, row in table["quality"].items()},
        process_mib=table["process"]["process_mib"],
        least_mib=table["process"]["least_mib"],
        overhead=table["overhead"]["factor"],
        voice_mib=table["voice"]["voice_mib"],
        onnxruntime_mib=table["voice"]["onnxruntime_mib"],
        gpu_share=table["share"]["gpu"],
        measured_share=table["share"]["measured"],
        shared_share=table["share"]["shared"],
        unified=frozenset(rows.capability(text) for text in table["unified"]["capabilities"]),
        unified_targets=frozenset(table["unified"]["targets"]),
        own_mib=table["unified"]["own_mib"],
    )


@dataclass(frozen=True, kw_only=True)
class CpuSpeed:
    """One row of speed.toml: CPU seconds per clip, and per second of the clip, in a training step; and the share of it
    that a step without discriminators takes."""

    clip_seconds: float
    second_seconds: float
    without_discriminators: float

    def seconds(self, clips: float, speech_seconds: float, cpus: int) -> float:
        """How long this number of clips takes, with this much speech in total."""
        return (clips * self.clip_seconds + speech_seconds * self.second_seconds) / cpus


def cpu_speed(quality: str) -> CpuSpeed | None:
    """The row of a quality; None if it was not measured."""
    row = rows.read("speed.toml").get(quality)
    return None if row is None else CpuSpeed(**row)


def advice_table() -> dict[str, Any]:
    """The content of advice.toml."""
    return rows.read("advice.toml")


#: Less speech than this, in seconds, makes no voice at all.
MIN_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Amount:
    """One row of amounts.toml: `expect` of a voice from this many minutes on."""

    name: str
    minutes: int
    expect: str
    source: str

    @property
    def duration(self) -> str:
        """1 minute, 5 hours …"""
        return pluralise(self.minutes, "minute") if self.minutes < 120 else pluralise(self.minutes // 60, "hour")


@cache
def amounts() -> tuple[Amount, ...]:
    """All rows, from the least to the most speech."""
    return tuple(Amount(name=name, **row) for name, row in rows.read("amounts.toml").items())


def amount_of(seconds: float) -> tuple[Amount, Amount | None]:
    """The row that applies to this much speech, and the next one; None if there is no better one."""
    reached = sum(round(seconds) >= row.minutes * 60 for row in amounts())
    return amounts()[reached - 1], amounts()[reached] if reached < len(amounts()) else None
