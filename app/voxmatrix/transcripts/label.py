"""A part of a recording and what is said in it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Label:
    """What is said from `start` to `end`, in seconds."""

    start: float
    end: float
    text: str


def joined_text(labels: Iterable[Label]) -> str:
    """Everything that is said, one label after the other."""
    return " ".join(one.text for one in labels)
