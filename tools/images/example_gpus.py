"""For an image, described computers with a GPU that it can or cannot use, for its smoke tests."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tools.images.rows import ROOT, Row
from voxmatrix.machine.facts import Machine, TorchBuild
from voxmatrix.machine.record import read_machine
from voxmatrix.plan.verdict import Assessment, assess
from voxmatrix.tables.image import CPU

MACHINES = ROOT / "tests" / "machines"
#: New enough for every image, so that only the kernels matter.
DRIVER = "610.10"


def usable(row: Row) -> str:
    """A computer whose GPU the image can use, and is recommended for if there is one.

    Raises:
        LookupError: there is none.
    """
    native = [(name, found) for name, found in _assessed(row) if found.verdict == "native"]
    best = [name for name, found in native if found.image == row.name]
    if not native:
        raise LookupError(f"no computer in {MACHINES.name} has a GPU for the image {row.name}")
    return best[0] if best else native[0][0]


def unusable(row: Row) -> tuple[str, str]:
    """A computer whose GPU the image has no kernels for, and the image to use instead.

    Raises:
        LookupError: there is none.
    """
    for name, found in _assessed(row):
        if found.verdict == "unsupported" and found.image not in (row.name, CPU):
            return name, found.image
    raise LookupError(f"no computer in {MACHINES.name} has a GPU that only the image {row.name} lacks kernels for")


def _assessed(row: Row) -> Iterator[tuple[str, Assessment]]:
    """The verdict of the row's torch on every described computer like the test machines: Linux, x86_64, one GPU."""
    torch = TorchBuild(
        version=f"{row.torch}+{row.torch_local}", cuda=row.cuda or None, kernels=row.kernels_on("linux/amd64")
    )
    for path in sorted(MACHINES.glob("*.json")):
        machine = read_machine(path)
        if _is_plain(machine):
            gpu = replace(machine.gpus[0], driver=DRIVER)
            yield path.stem, assess(gpu, replace(machine, gpus=(gpu,), torch=torch, image=row.name))


def _is_plain(machine: Machine) -> bool:
    usual = machine.platform == "linux" and machine.architecture == "x86_64" and not machine.wsl
    return usual and [gpu.kind for gpu in machine.gpus] == ["cuda"] and machine.gpus[0].capability is not None


def with_gpu(recorded: Mapping[str, Any], computer: str, driver: str = DRIVER) -> dict[str, Any]:
    """A recorded machine description (`doctor --record`) with the GPUs of `computer` and a large /dev/shm."""
    described = json.loads((MACHINES / f"{computer}.json").read_text(encoding="utf-8"))
    return {**recorded, "gpus": [{**gpu, "driver": driver} for gpu in described["gpus"]], "shm_mib": 8192}
