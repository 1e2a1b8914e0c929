"""Every described computer of tests/machines: the verdict of each image's torch on its GPUs, and a training's plan.

    python -m tools.gpu_table            writes docs/gpus.md; a test fails when the page is another

The plan is that of the image which serves the GPU best, for quality `medium` and with nothing forced.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from app.machine.facts import Gpu, Machine, TorchBuild
from app.machine.record import read_machine
from app.plan.plan import Asked, make_plan
from app.plan.verdict import judge
from app.tables.architecture import architecture
from app.tables.image import Image, images

ROOT = Path(__file__).resolve().parent.parent
MACHINES = ROOT / "tests" / "machines"
PAGE = ROOT / "docs" / "gpus.md"
#: The images whose torch has CUDA, as the columns of the table.
COLUMNS = tuple(image for image in images().values() if image.cuda)
_HEAD = """# Which image for which GPU

Written by `python -m tools.gpu_table` from the described computers in `tests/machines/`; do not edit. No figure in it
was taken on such a computer: verdicts follow from the kernels of each image's torch and from the driver, plans from the
tables in `app/tables/`. `voxmatrix doctor` and `voxmatrix plan` say the same of the computer at hand, and `doctor`
tries it.

**native**: it runs. **ptx-jit**: it runs, and the first start takes minutes. **unsupported**: this torch has no kernels
for it. **driver-too-old**: it would run with a newer driver. **no build**: there is no such torch for this processor.
Batches are recordings a batch × batches a step.

"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


def page() -> str:
    """The page as Markdown."""
    verdicts = [f"`{image.name}` ({image.torch})" for image in COLUMNS]
    head = ["computer", "GPU", "capability", *verdicts, "best image", "precision", "batch"]
    rows = [row for path in sorted(MACHINES.glob("*.json")) for row in _rows(path.stem, read_machine(path))]
    table = [head, ["---"] * len(head), *rows]
    return _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in table)


def _rows(name: str, machine: Machine) -> Iterator[list[str]]:
    """A row for each GPU that differs from the others of the computer."""
    different = {(gpu.name, gpu.capability): gpu for gpu in reversed(machine.gpus)}
    for gpu in [*reversed(different.values())] or [None]:
        alone = replace(machine, gpus=() if gpu is None else (gpu,))
        best = "cpu" if gpu is None else judge(gpu, machine).image
        plan = make_plan(replace(alone, torch=_build(images()[best], machine)), "medium", Asked())
        yield [
            name,
            *_of(gpu),
            *(_verdict(gpu, alone, image) for image in COLUMNS),
            f"`{best}`",
            plan.precision.value + (" with scaler" if plan.scaler.value else ""),
            f"{plan.batch_size.value} × {plan.accumulation.value}",
        ]


def _of(gpu: Gpu | None) -> tuple[str, str]:
    if gpu is None:
        return "none", ""
    row = architecture(gpu.capability) if gpu.capability else None
    called = gpu.name or f"a GPU ({gpu.kind})"
    return called, f"{gpu.capability} {row.architecture}" if row else str(gpu.capability or "")


def _verdict(gpu: Gpu | None, machine: Machine, image: Image) -> str:
    if gpu is None or gpu.kind != "cuda":
        return "–"
    if not image.kernels_on(machine.architecture):
        return "no build"
    return judge(gpu, replace(machine, torch=_build(image, machine))).verdict or "unknown"


def _build(image: Image, machine: Machine) -> TorchBuild:
    kernels = tuple(str(kernel) for kernel in image.kernels_on(machine.architecture))
    suffix = f"cu{image.cuda.replace('.', '')}" if image.cuda else "cpu"
    return TorchBuild(version=f"{image.torch}+{suffix}", cuda=image.cuda or None, kernels=kernels)


if __name__ == "__main__":
    main()
