"""The sizes of a voice's networks, read from qualities.toml."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from voxmatrix.errors import UsageError
from voxmatrix.tables import rows

#: The names in qualities.toml, for requests of the server.
QualityName = Literal["tiny", "x_low", "low", "fast_x_low", "fast", "medium", "high"]
#: The same for every quality (from Piper and VITS `configs/*.json`).
N_FFT = 1024
HOP = 256
N_MELS = 80
SEGMENT_FRAMES = 32
SEGMENT_SAMPLES = SEGMENT_FRAMES * HOP
SPEC_BINS = N_FFT // 2 + 1
SPEAKER_CHANNELS = 512


@dataclass(frozen=True, kw_only=True)
class Quality:
    """One row of qualities.toml."""

    name: str
    rate_hz: int
    inter_channels: int
    hidden_channels: int
    filter_channels: int
    n_heads: int
    n_layers: int
    posterior_layers: int
    resblock: str
    resblock_kernels: tuple[int, ...]
    resblock_dilations: tuple[tuple[int, ...], ...]
    upsample_rates: tuple[int, ...]
    upsample_kernels: tuple[int, ...]
    upsample_channels: int
    discriminator_divisor: int
    learning_rate: float
    discriminator_start: int = 0  # the number of first steps that are taken without the discriminators
    decoder: str = "hifigan"  # a module of voxmatrix.vits.decoders
    fourier_hop: int = 1  # samples per spectrum of a decoder that ends in an inverse Fourier transform

    def __post_init__(self) -> None:
        if math.prod(self.upsample_rates) * self.fourier_hop != HOP:
            raise ValueError(f"{self.name}: the product of upsample_rates and fourier_hop must be the hop, {HOP}")
        if self.resblock not in ("1", "2"):
            raise ValueError(f"{self.name}: resblock is {self.resblock!r}, must be '1' or '2'")


@cache
def qualities() -> dict[str, Quality]:
    """All qualities by name."""
    return {name: Quality(name=name, **_frozen(row)) for name, row in rows.read("qualities.toml").items()}


def quality(name: str) -> Quality:
    """The quality with this name (`x-low` is accepted for `x_low`).

    Raises:
        UsageError: there is no such quality.
    """
    found = qualities().get(name.replace("-", "_"))
    if found is None:
        raise UsageError(f"there is no quality {name!r}", f"choose one of: {', '.join(qualities())}")
    return found


def quality_with(suits: Callable[[Quality], bool]) -> str | None:
    """The name of the quality with the largest networks of those that suit, the first of equal ones."""
    suitable = [row for row in qualities().values() if suits(row)]
    return max(suitable, key=lambda row: row.inter_channels).name if suitable else None


def _frozen(row: dict[str, Any]) -> dict[str, Any]:
    def freeze(value: Any) -> Any:
        return tuple(freeze(item) for item in value) if isinstance(value, list) else value

    return {key: freeze(value) for key, value in row.items()}
