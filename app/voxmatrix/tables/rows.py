"""Reading of the bundled tables, and parsing of versions and capabilities in them."""

import operator
import re
from pathlib import Path
from typing import Any

#: Major and minor; voxmatrix.machine.facts.Capability is one.
CapabilityPair = tuple[int, int]
_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


def read(name: str) -> dict[str, Any]:
    """The content of voxmatrix/tables/NAME."""
    import tomllib

    return tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


def version(text: str | None) -> tuple[int, ...] | None:
    """The leading numbers of a version, for comparison: (2, 6, 0) for 2.6.0+cu124; None if there are none."""
    found = re.match(r"\d{1,9}(\.\d{1,9})*", text or "", re.ASCII)
    return tuple(int(number) for number in found[0].split(".")) if found else None


def known_version(text: str) -> tuple[int, ...]:
    """Like `version`, for fields that must contain a version.

    Raises:
        ValueError: the text is not a version.
    """
    numbers = version(text)
    if numbers is None:
        raise ValueError(f"{text!r} is not a version")
    return numbers


def capability(text: str) -> CapabilityPair:
    """Parse text such as "12.0".

    Raises:
        ValueError: the text is not two numbers separated by a dot.
    """
    numbers = known_version(text)
    if len(numbers) != 2:
        raise ValueError(f"{text!r} is not a compute capability such as 12.0")
    return numbers[0], numbers[1]


def meets(found: str, requirement: str) -> bool:
    """Whether a version meets a requirement such as `>=2.6,<3`. An empty one is always met.

    Raises:
        ValueError: the requirement is none.
    """
    for part in filter(None, re.split(r", ?", requirement)):
        match = re.fullmatch(r"([<>=!]+)(.+)", part)
        if match is None:
            raise ValueError(f"{part!r} is not a requirement such as >=2.6")
        wanted, have = known_version(match[2]), version(found) or ()
        size = max(len(wanted), len(have))
        left, right = ((*numbers, *[0] * (size - len(numbers))) for numbers in (have, wanted))
        if not _COMPARE[match[1]](left, right):
            return False
    return True
