"""What a trial measures, in plain values that go to a child as JSON."""

from dataclasses import dataclass

from voxmatrix.tables.precision import Precision


@dataclass(frozen=True, kw_only=True)
class TrialJob:
    """What is measured: plain values, as JSON holds them."""

    device: str
    name: str | None
    quality: str
    precision: Precision
    checkpointed: bool
    tf32: bool
    cudnn_benchmark: bool
    threads: int | None  # of the CPU; None: as many as this process may keep busy
    samples: int  # of every clip
    symbols: int
    speakers: int
    free_mib: int | None  # on the device, before this process began
