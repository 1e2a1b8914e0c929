"""What a training takes as `train --tune` measured it: a line through the points. Pure."""

from dataclasses import dataclass

from voxmatrix.machine.facts import Machine
from voxmatrix.machine.profiles.profile import BatchFigures, Measurement, Profile, torch_series
from voxmatrix.tables.precision import Precision


@dataclass(frozen=True, kw_only=True)
class MemoryLine:
    """What a batch takes on a device of this kind."""

    base_mib: float
    clip_mib: float
    seconds: float  # of every clip
    date: str

    def mib(self, clips: int, seconds: float) -> float:
        """With clips of this length. Longer ones take more in proportion; of shorter ones nothing is known."""
        return self.base_mib + clips * self.clip_mib * max(1.0, seconds / self.seconds)


def measured_lines(
    profile: Profile | None, quality: str, precision: Precision, machine: Machine
) -> dict[bool, MemoryLine]:
    """By whether gradients are checkpointed. Of several torches the one of this computer counts, else the latest."""
    if profile is None:
        return {}
    series = None if machine.torch is None else torch_series(machine.torch.version)
    fit = [each for each in profile.measurements if (each.quality, each.precision) == (quality, precision)]
    fit.sort(key=lambda each: (torch_series(each.torch) == series, each.date))
    lines = ((each.gradient_checkpointing, _line(each)) for each in fit)
    return {checkpointed: line for checkpointed, line in lines if line is not None}


def _line(measurement: Measurement) -> MemoryLine | None:
    """The slope of least squares, raised until no point lies above it; None where nothing follows from the points."""
    sizes = measurement.sizes
    if not sizes:
        return None
    clip_mib = _slope(sizes)
    if clip_mib <= 0:
        return None
    base = max(size.peak_mib - size.batch_size * clip_mib for size in sizes)
    return MemoryLine(base_mib=max(0.0, base), clip_mib=clip_mib, seconds=measurement.seconds, date=measurement.date)


def _slope(sizes: tuple[BatchFigures, ...]) -> float:
    if len(sizes) == 1:  # what of it is there without a clip is not known: held to grow with them, it is too much
        return sizes[0].peak_mib / sizes[0].batch_size
    mean_batch = sum(size.batch_size for size in sizes) / len(sizes)
    mean_peak = sum(size.peak_mib for size in sizes) / len(sizes)
    together = sum((size.batch_size - mean_batch) * (size.peak_mib - mean_peak) for size in sizes)
    return together / sum((size.batch_size - mean_batch) ** 2 for size in sizes)
