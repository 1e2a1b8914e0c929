"""NVIDIA architectures by compute capability, read from architectures.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One row of architectures.toml."""

    capability: tuple[int, int]
    architecture: str
    products: tuple[str, ...]
    bf16: bool
    tf32: bool
    flash: bool
    advice: tuple[str, ...]
    source: str


@cache
def architectures() -> dict[tuple[int, int], Architecture]:
    """All rows by capability."""
    return parse_architectures(files("voxmatrix.tables").joinpath("architectures.toml").read_text(encoding="utf-8"))


def architecture(capability: tuple[int, int]) -> Architecture | None:
    """The row of a capability; None if it is not in the table."""
    return architectures().get(capability)


def parse_architectures(text: str) -> dict[tuple[int, int], Architecture]:
    """Parse a table.

    Raises:
        ValueError: a row is invalid; the message names it.
    """
    rows = (_row(key, row) for key, row in tomllib.loads(text).items())
    return {row.capability: row for row in rows}


def _row(key: str, row: dict[str, Any]) -> Architecture:
    major, point, minor = key.partition(".")
    if not (point and major.isdecimal() and minor.isdecimal()):
        raise ValueError(f"{key!r} is not a compute capability such as 12.0")
    frozen: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    try:
        return Architecture(capability=(int(major), int(minor)), **frozen)
    except TypeError as error:  # a missing or unknown column
        raise ValueError(f"{key}: {error}") from error
