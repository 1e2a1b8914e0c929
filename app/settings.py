"""One value and where it came from: flag, then environment, then voxmatrix.toml, then decided by us."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from app.errors import UsageError

Source = Literal["flag", "environment", "voxmatrix.toml", "automatic"]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Setting(Generic[T]):
    """A decision that carries its reason."""

    value: T
    reason: str
    source: Source


def forced(
    name: str,
    flag: str | int | float | None,
    parse: Callable[[str], T],
    environment: Mapping[str, str] | None = None,
    config: Mapping[str, Any] | None = None,
) -> Setting[T] | None:
    """The strongest place that gives `name`, or None when every one is silent or says `0` or `auto`.

    Raises:
        UsageError: the value cannot be read; the message names the place it came from.
    """
    environment = os.environ if environment is None else environment
    variable = f"VOXMATRIX_{name.upper()}"
    places: list[tuple[Source, str, Any]] = [
        ("flag", f"--{name.replace('_', '-')}", flag),
        ("environment", variable, environment.get(variable)),
        ("voxmatrix.toml", name, (config or {}).get(name)),
    ]
    for source, place, raw in places:
        text = "" if raw is None else str(raw).strip()
        if text.lower() in ("", "0", "auto"):
            continue
        try:
            return Setting(value=parse(text), reason=f"given by {place}", source=source)
        except ValueError as error:
            raise UsageError(
                f"{place} is {text!r}: {error}", f"set {place} to a value it can take, or to auto"
            ) from error
    return None
