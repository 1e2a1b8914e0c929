"""One value, why it was chosen, and where it came from: flag, environment, voxmatrix.toml, or decided by us."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Source = Literal["flag", "environment", "voxmatrix.toml", "automatic"]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Setting(Generic[T]):
    """A decision that carries its reason."""

    value: T
    reason: str
    source: Source


def automatic(value: T, reason: str) -> Setting[T]:
    """A decision of ours."""
    return Setting(value=value, reason=reason, source="automatic")
