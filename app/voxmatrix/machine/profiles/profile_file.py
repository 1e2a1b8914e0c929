"""Profiles as JSON files."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from voxmatrix.machine.json_file import read_described
from voxmatrix.machine.profiles.profile import Measurement, Profile, ProfiledCpu, ProfiledGpu, merge


@dataclass(frozen=True, kw_only=True)
class _ProfileFile:
    format: Literal[1]
    gpu: ProfiledGpu | None = None
    cpu: ProfiledCpu | None = None
    # More than five qualities × three precisions × checkpointing on or off × a few versions of torch.
    measurements: tuple[Measurement, ...] = field(metadata={"max_length": 200})


def read_profile_file(path: Path, remedy: str) -> Profile:
    """The profile in a file.

    Raises:
        BadInputError: the file cannot be read, or a key is missing, unknown or has an impossible value.
    """
    file = read_described(path, _ProfileFile, _mistakes, remedy)
    (device,) = (one for one in (file.gpu, file.cpu) if one is not None)
    return merge(Profile(device=device), file.measurements).profile


def _mistakes(file: _ProfileFile) -> Iterator[str]:
    if (file.gpu is None) == (file.cpu is None):
        yield "must have exactly one of gpu and cpu"
    for index, measurement in enumerate(file.measurements):
        sizes, largest = [size.batch_size for size in measurement.sizes], measurement.largest_batch
        if sizes != sorted(set(sizes)):
            yield f"measurements[{index}] must list its sizes in ascending order, without duplicates"
        if largest and largest not in sizes:
            yield f"measurements[{index}] has a largest_batch of {largest}, which is not among its sizes"
