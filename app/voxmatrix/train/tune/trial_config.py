"""The configuration of a trial, passed to a child process as JSON."""

from dataclasses import dataclass

from voxmatrix.tables.precision import Precision


@dataclass(frozen=True, kw_only=True)
class TrialJob:
    """What to measure, in plain values."""

    device: str
    name: str | None
    quality: str
    precision: Precision
    checkpointed: bool
    tf32: bool
    cudnn_benchmark: bool
    threads: int | None  # CPU threads; None: torch's default
    samples: int  # per clip
    symbols: int  # per clip
    speakers: int
    free_mib: int | None  # free memory of the device before the child started
