"""The row that serves for a torch of another guide, such as cuda130 or rocm7.1. Standard library only."""

import re
from collections.abc import Iterable

from tools.images.rows import Row

_CUDA = re.compile(r"cu(?:da)?-?(\d{2})\.?(\d)")
_ROCM = re.compile(r"rocm-?(\d)(?:\.?\d)*")


def serving(table: Iterable[Row], torch: str) -> Row | None:
    """The row for the GPUs and drivers of this torch; None if there is none.

    Within a major version, CUDA needs no newer driver than its first minor version: so the newest row that is not
    newer than what was asked for serves, and where all are newer, the oldest of them.
    """
    rows = list(table)
    if torch == "nightly":
        return next((row for row in rows if row.channel == "nightly"), None)
    if found := _ROCM.fullmatch(torch):
        return next((row for row in rows if row.torch_build.startswith(f"rocm{found[1]}.")), None)
    found = _CUDA.fullmatch(torch)
    if found is None:
        return None
    major, minor = int(found[1]), int(found[2])
    minors = {
        int(row.cuda.partition(".")[2]): row
        for row in rows
        if row.channel == "stable" and row.cuda.partition(".")[0] == str(major)
    }
    older = [each for each in minors if each <= minor]
    return minors[max(older) if older else min(minors)] if minors else None
