"""Memory estimates of a training, read from memory.toml; `train --tune` replaces them with measurements."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from voxmatrix.tables import rows
from voxmatrix.tables.quality import qualities

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

    def __post_init__(self) -> None:
        sizes = (self.parameters, self.once_mib, self.segment_mib_16, self.second_mib_16)
        if min(sizes) <= 0 or not self.source:
            raise ValueError("every size must be greater than 0, and a row needs a source")
        if self.segment_mib_16 > self.segment_mib_32 or self.second_mib_16 > self.second_mib_32:
            raise ValueError("16 bits cannot need more memory than 32")
        if not 0 < self.checkpointed < 1:
            raise ValueError(f"checkpointed is {self.checkpointed}, must be between 0 and 1")

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
    voice_mib: float
    gpu_share: float
    measured_share: float  # of a GPU's own memory, if the need was measured
    shared_share: float
    unified: frozenset[rows.CapabilityPair]  # capabilities of GPUs that always share the computer's memory

    def __post_init__(self) -> None:
        if set(self.qualities) != set(qualities()):
            raise ValueError("memory.toml and qualities.toml must have the same qualities")
        if not 0.8 <= self.gpu_share <= 0.85 or not 0 < self.shared_share < self.gpu_share:
            raise ValueError("share.gpu must be from 0.80 to 0.85, and share.shared less than share.gpu")
        if not self.gpu_share <= self.measured_share <= 0.9:
            raise ValueError("share.measured must be from share.gpu to 0.90")
        if self.overhead < 1 or min(self.process_mib, self.least_mib, self.voice_mib) <= 0:
            raise ValueError("overhead.factor must be at least 1, and every size greater than 0")


@cache
def memory_table() -> MemoryTable:
    """The table of memory.toml."""
    return parse(rows.read("memory.toml"))


def parse(table: dict[str, Any]) -> MemoryTable:
    """Build the table from the content of the file.

    Raises:
        ValueError: a number is out of range, or a section has no source.
    """
    for name in ("process", "overhead", "unified", "voice", "share"):
        if not table[name].get("source"):
            raise ValueError(f"{name} has no source for its numbers")
    return MemoryTable(
        qualities={name: MemoryRow(**row) for name, row in table["quality"].items()},
        process_mib=table["process"]["process_mib"],
        least_mib=table["process"]["least_mib"],
        overhead=table["overhead"]["factor"],
        voice_mib=table["voice"]["voice_mib"],
        gpu_share=table["share"]["gpu"],
        measured_share=table["share"]["measured"],
        shared_share=table["share"]["shared"],
        unified=frozenset(rows.capability(text) for text in table["unified"]["capabilities"]),
    )
