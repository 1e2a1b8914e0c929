"""One value, why it was chosen, and where it came from."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

#: `run`: the run that goes on was begun with it. `automatic`: decided by us.
Source = Literal["flag", "environment", "voxmatrix.toml", "run", "automatic"]
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
