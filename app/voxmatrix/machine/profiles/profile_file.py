"""A profile as a JSON file: of a GPU or of a CPU."""

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
    # Five qualities, three number formats, two ways and some versions of torch make fewer.
    measurements: tuple[Measurement, ...] = field(metadata={"max_length": 200})


def read_profile_file(path: Path, remedy: str) -> Profile:
    """The profile in a file.

    Raises:
        BadInputError: it cannot be read, or a key is missing, unknown or has a value that cannot be true.
    """
    file = read_described(path, _ProfileFile, _mistakes, remedy)
    (device,) = (each for each in (file.gpu, file.cpu) if each is not None)
    return merge(Profile(device=device), file.measurements).profile


def _mistakes(file: _ProfileFile) -> Iterator[str]:
    if (file.gpu is None) == (file.cpu is None):
        yield "must have a gpu or a cpu, one of them"
    for place, each in enumerate(file.measurements):
        numbers = [size.batch_size for size in each.sizes]
        if numbers != sorted(set(numbers)):
            yield f"measurements[{place}] must have its sizes in order, each once"
        if each.largest_batch and each.largest_batch not in numbers:
            yield f"measurements[{place}] has a largest_batch of {each.largest_batch}, which is not among its sizes"
