"""The verdict of each image's torch, and a training plan, for every machine description in tests/machines."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tools.images.recommend import with_torch_of
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.record import read_machine
from voxmatrix.plan.plan import Overrides, Plan, make_plan
from voxmatrix.plan.verdict import assess
from voxmatrix.tables.image import Image, images

MACHINES = Path(__file__).resolve().parents[2] / "tests" / "machines"


@dataclass(frozen=True, kw_only=True)
class Served:
    """One GPU of a described computer, or a computer without a GPU."""

    computer: str
    machine: Machine
    gpu: Gpu | None
    verdicts: tuple[str, ...]  # one per column
    image: str  # the best image for this GPU
    plan: Plan  # of a training in that image: quality `medium`, no overrides

    @property
    def precision(self) -> str:
        """The training precision, with a note when a loss scaler is used."""
        return self.plan.precision.value + (" with scaler" if self.plan.scaler.value else "")


def columns() -> tuple[Image, ...]:
    """The columns of the tables: the images whose torch has CUDA."""
    return tuple(image for image in images().values() if image.cuda)


def served(driver: str | None = None) -> Iterator[Served]:
    """Every described GPU, equal GPUs of one computer once. `driver` overrides the described driver."""
    for path in sorted(MACHINES.glob("*.json")):
        machine = read_machine(path)
        if driver is not None:
            machine = replace(machine, gpus=tuple(replace(gpu, driver=driver) for gpu in machine.gpus))
        different = {(gpu.name, gpu.capability): gpu for gpu in reversed(machine.gpus)}
        served: list[Gpu | None] = [*reversed(different.values())]
        for gpu in served or [None]:
            yield _serve(path.stem, gpu, machine)


def _serve(computer: str, gpu: Gpu | None, machine: Machine) -> Served:
    alone = replace(machine, gpus=() if gpu is None else (gpu,))
    best = "cpu" if gpu is None else assess(gpu, machine).image
    return Served(
        computer=computer,
        machine=machine,
        gpu=gpu,
        verdicts=tuple(_verdict(gpu, alone, image) for image in columns()),
        image=best,
        plan=make_plan(with_torch_of(images()[best], alone), "medium", Overrides()),
    )


def _verdict(gpu: Gpu | None, machine: Machine, image: Image) -> str:
    if gpu is None or gpu.kind != "cuda":
        return "–"
    if not image.kernels_on(machine.architecture):
        return "no build"
    return assess(gpu, with_torch_of(image, machine)).verdict or "unknown"
