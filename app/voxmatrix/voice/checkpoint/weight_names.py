"""Names of weights: torch's today, and those of Piper's checkpoints, which every voice file carries."""

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")

_PAIRS = (("parametrizations.weight.original0", "weight_g"), ("parametrizations.weight.original1", "weight_v"))


def to_piper(state: Mapping[str, T]) -> dict[str, T]:
    """Names as a file has them: a normalised weight is `weight_g` (length) and `weight_v` (direction)."""
    return {_renamed(name, 0): value for name, value in state.items()}


def from_piper(state: Mapping[str, T]) -> dict[str, T]:
    """Names as our modules have them."""
    return {_renamed(name, 1): value for name, value in state.items()}


def _renamed(name: str, side: int) -> str:
    for pair in _PAIRS:
        old, new = pair[side], pair[1 - side]
        if name.endswith("." + old):
            return name.removesuffix(old) + new
    return name
