"""Translate weight names between our modules and Piper's checkpoints, the format of all voice files."""

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")

_PAIRS = (("parametrizations.weight.original0", "weight_g"), ("parametrizations.weight.original1", "weight_v"))


def to_piper(state: Mapping[str, T]) -> dict[str, T]:
    """Names as in a file: a normalised weight is `weight_g` (length) and `weight_v` (direction)."""
    return {_renamed(name, 0): value for name, value in state.items()}


def from_piper(state: Mapping[str, T]) -> dict[str, T]:
    """Names as in our modules."""
    return {_renamed(name, 1): value for name, value in state.items()}


def _renamed(name: str, side: int) -> str:
    for pair in _PAIRS:
        old, new = pair[side], pair[1 - side]
        if name.endswith("." + old):
            return name.removesuffix(old) + new
    return name
