"""For every tested image a GPU that its torch has no kernels for, put into the computer that the image is on."""

import json
from collections.abc import Mapping
from typing import Any

from tools import rows

MACHINES = rows.ROOT / "tests" / "machines"
#: Image → a described computer with such a GPU, and the image to use instead.
WRONG = {
    "cpu": ("rtx-3060", "cuda13"),
    "cuda": ("rtx-5090", "cuda13"),
    "blackwell": ("gtx-970", "cuda"),
    "cuda13": ("v100", "cuda"),
}
#: So new that every image is content with it: what is left to object to are the kernels.
DRIVER = "610.10"


def with_gpu(recorded: Mapping[str, Any], computer: str, driver: str = DRIVER) -> dict[str, Any]:
    """What `doctor --record` wrote in a container, with the GPUs of another described computer and room in /dev/shm."""
    described = json.loads((MACHINES / f"{computer}.json").read_text(encoding="utf-8"))
    return {**recorded, "gpus": [{**gpu, "driver": driver} for gpu in described["gpus"]], "shm_mib": 8192}
