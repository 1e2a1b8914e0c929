"""For every tested image, a GPU that its torch has no kernels for, to be added to the description of a computer."""

import json
from collections.abc import Mapping
from typing import Any

from tools.images import rows

MACHINES = rows.ROOT / "tests" / "machines"
#: Image → a machine description with such a GPU, and the image to use instead.
WRONG = {
    "cpu": ("rtx-3060", "cuda13"),
    "cuda": ("rtx-5090", "cuda13"),
    "blackwell": ("gtx-970", "cuda"),
    "cuda13": ("v100", "cuda"),
}
#: New enough for every image, so that only the kernels are wrong.
DRIVER = "610.10"


def with_gpu(recorded: Mapping[str, Any], computer: str, driver: str = DRIVER) -> dict[str, Any]:
    """A recorded machine description (`doctor --record`) with the GPUs of `computer` and a large /dev/shm."""
    described = json.loads((MACHINES / f"{computer}.json").read_text(encoding="utf-8"))
    return {**recorded, "gpus": [{**gpu, "driver": driver} for gpu in described["gpus"]], "shm_mib": 8192}
