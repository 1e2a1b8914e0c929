"""Progress reports of long-running work."""

from collections.abc import Callable
from typing import Literal

#: Called with the amount done and the total.
OnProgress = Callable[[int, int], None]

#: What a command is doing: the `key` in its lines of progress. Programs match this, not the text that people read.
Activity = Literal[
    "prepare", "tune", "train", "speak", "join", "learn", "compare", "recognise", "download", "install", "check"
]  # fmt: skip
