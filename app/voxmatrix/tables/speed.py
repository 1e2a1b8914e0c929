"""How fast a CPU trains, read from speed.toml."""

from dataclasses import dataclass

from voxmatrix.tables import rows


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
