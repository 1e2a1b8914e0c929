"""Every described computer of tests/machines: the verdict of each image's torch on its GPUs, and a training's plan.

    python -m tools.gpu_table            writes docs/gpus.md and the table in README.md; tests fail when they are others

The plan is that of the image which serves the GPU best, for quality `medium` and with nothing forced.
"""

from pathlib import Path

from tools.described import COLUMNS, served
from tools.gpu_classes import with_table
from tools.written_part import README
from voxmatrix.machine.facts import Gpu
from voxmatrix.tables.architecture import architecture

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "gpus.md"
_HEAD = """# Which image for which GPU

Written by `python -m tools.gpu_table` from the described computers in `tests/machines/`; do not edit. No figure in it
was taken on such a computer: verdicts follow from the kernels of each image's torch and from the driver, plans from the
tables in `app/voxmatrix/tables/`. `voxmatrix doctor` and `voxmatrix plan` say the same of the computer
at hand; `doctor` also tries it.

**native**: it runs. **ptx-jit**: it runs, and the first start takes minutes. **unsupported**: this torch has no kernels
for it. **driver-too-old**: it would run with a newer driver. **no build**: there is no such torch for this processor.
Batches are recordings a batch × batches a step.

"""


def main() -> None:
    """Write the page, and the table in README."""
    PAGE.write_text(page(), encoding="utf-8")
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}, {README.relative_to(ROOT)}")


def page() -> str:
    """The page as Markdown."""
    verdicts = [f"`{image.name}` ({image.torch})" for image in COLUMNS]
    head = ["computer", "GPU", "capability", *verdicts, "best image", "precision", "batch"]
    rows = [
        [
            one.computer,
            *_of(one.gpu),
            *one.verdicts,
            f"`{one.image}`",
            one.precision,
            f"{one.plan.batch_size.value} × {one.plan.accumulation.value}",
        ]
        for one in served()
    ]
    return _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *rows])


def _of(gpu: Gpu | None) -> tuple[str, str]:
    if gpu is None:
        return "none", ""
    row = architecture(gpu.capability) if gpu.capability else None
    called = gpu.name or f"a GPU ({gpu.kind})"
    return called, f"{gpu.capability} {row.architecture}" if row else str(gpu.capability or "")


if __name__ == "__main__":
    main()
