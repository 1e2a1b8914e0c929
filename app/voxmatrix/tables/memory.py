"""Memory estimates of a training, read from memory.toml; `train --tune` replaces them with measurements."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from voxmatrix.tables import rows

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
    voice_mib: float
    gpu_share: float
    measured_share: float  # of a GPU's own memory, if the need was measured
    shared_share: float
    unified: frozenset[rows.CapabilityPair]  # capabilities of GPUs that always share the computer's memory


@cache
def memory_table() -> MemoryTable:
    """The table of memory.toml."""
    return parse(rows.read("memory.toml"))


def parse(table: dict[str, Any]) -> MemoryTable:
    """Build the table from the content of the file."""
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
