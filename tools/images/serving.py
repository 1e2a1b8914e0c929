"""The row that serves for a torch of another guide: cuda130, 2.10.0+cu128, 2.7.0-cuda12.8-cudnn9-runtime, rocm7.1.

Standard library only.
"""

import re
from collections.abc import Iterable

from tools.images.rows import Row

_CUDA = re.compile(r"(?:^|[+-])(?:cu(?:da)?-?)?(\d{2})\.?(\d)(?:\.\d+)?(?:$|-)")
_ROCM = re.compile(r"(?:^|[+-])rocm-?(\d)(?:\.?\d)*(?:$|-)")


def serving(table: Iterable[Row], torch: str) -> Row | None:
    """The row for the GPUs and drivers of this torch; None if there is none.

    Within a major version, CUDA needs no newer driver than its first minor version: so the newest row that is not
    newer than what was asked for serves, and where all are newer, the oldest of them.
    """
    rows, torch = list(table), torch.lower()
    if torch == "nightly":
        return next((row for row in rows if row.channel == "nightly"), None)
    if (build := torch.rpartition("+")[2]) in ("cpu", "xpu"):
        return next(row for row in rows if row.name == build)
    if found := _ROCM.search(torch):
        return next((row for row in rows if row.torch_build.startswith(f"rocm{found[1]}.")), None)
    found = _CUDA.search(torch)
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
