"""A setting: its value, the reason for it, and its source."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

#: `run`: taken from the run that is resumed. `automatic`: chosen by voxmatrix.
Source = Literal["flag", "environment", ".env", "voxmatrix.toml", "run", "automatic"]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Setting(Generic[T]):
    """A value with its reason and source."""

    value: T
    reason: str
    source: Source


def automatic(value: T, reason: str) -> Setting[T]:
    """A setting chosen by voxmatrix."""
    return Setting(value=value, reason=reason, source="automatic")
