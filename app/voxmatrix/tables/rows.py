"""Reading a table that comes with the program, and the versions that stand in it."""

import re
import tomllib
from importlib.resources import files
from typing import Any

#: Major and minor; voxmatrix.machine.facts.Capability is one.
CapabilityPair = tuple[int, int]


def read(name: str) -> dict[str, Any]:
    """The content of voxmatrix/tables/NAME."""
    return tomllib.loads(files("voxmatrix.tables").joinpath(name).read_text(encoding="utf-8"))


def version(text: str | None) -> tuple[int, ...] | None:
    """The leading numbers of a version, for comparing: (2, 6, 0) of 2.6.0+cu124; None when it has none."""
    found = re.match(r"\d{1,9}(\.\d{1,9})*", text or "", re.ASCII)
    return tuple(int(number) for number in found[0].split(".")) if found else None


def known_version(text: str) -> tuple[int, ...]:
    """As `version`, for a field of a table that must hold one.

    Raises:
        ValueError: it does not.
    """
    numbers = version(text)
    if numbers is None:
        raise ValueError(f"{text!r} is no version")
    return numbers


def capability(text: str) -> CapabilityPair:
    """From "12.0".

    Raises:
        ValueError: it is not two numbers with a point between.
    """
    numbers = known_version(text)
    if len(numbers) != 2:
        raise ValueError(f"{text!r} is no compute capability such as 12.0")
    return numbers[0], numbers[1]
