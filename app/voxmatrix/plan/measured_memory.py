"""Memory of a training from the measurements of `train --tune`: a line through the points. Pure."""

from dataclasses import dataclass

from voxmatrix.machine.facts import Machine
from voxmatrix.machine.profiles.profile import BatchFigures, Measurement, Profile, torch_series
from voxmatrix.tables.precision import Precision


@dataclass(frozen=True, kw_only=True)
class MemoryLine:
    """Memory as a function of the batch size, on one device model."""

    base_mib: float
    clip_mib: float
    seconds: float  # length of every clip
    date: str

    def mib(self, clips: int, seconds: float) -> float:
        """Memory for a batch of clips of this length: proportional for longer clips, unchanged for shorter ones."""
        return self.base_mib + clips * self.clip_mib * max(1.0, seconds / self.seconds)


def measured_lines(
    profile: Profile | None, quality: str, precision: Precision, machine: Machine
) -> dict[bool, MemoryLine]:
    """Lines by gradient checkpointing. Measurements with this computer's torch are preferred, then the latest."""
    if profile is None:
        return {}
    series = None if machine.torch is None else torch_series(machine.torch.version)
    found = [one for one in profile.measurements if (one.quality, one.precision) == (quality, precision)]
    found.sort(key=lambda one: (torch_series(one.torch) == series, one.date))
    lines = ((one.gradient_checkpointing, _line(one)) for one in found)
    return {checkpointed: line for checkpointed, line in lines if line is not None}


def _line(measurement: Measurement) -> MemoryLine | None:
    """A least-squares line, raised so that no point is above it; None if the points do not determine one."""
    sizes = measurement.sizes
    if not sizes:
        return None
    clip_mib = _slope(sizes)
    if clip_mib <= 0:
        return None
    base = max(size.peak_mib - size.batch_size * clip_mib for size in sizes)
    return MemoryLine(base_mib=max(0.0, base), clip_mib=clip_mib, seconds=measurement.seconds, date=measurement.date)


def _slope(sizes: tuple[BatchFigures, ...]) -> float:
    if len(sizes) == 1:  # the base is unknown; attributing it to the clips overestimates larger batches
        return sizes[0].peak_mib / sizes[0].batch_size
    mean_batch = sum(size.batch_size for size in sizes) / len(sizes)
    mean_peak = sum(size.peak_mib for size in sizes) / len(sizes)
    covariance = sum((size.batch_size - mean_batch) * (size.peak_mib - mean_peak) for size in sizes)
    return covariance / sum((size.batch_size - mean_batch) ** 2 for size in sizes)
