"""docs/gpus.md: the verdict of each image's torch and a training plan, for every described computer in tests/machines.

The plan is for the best image of each GPU, quality `medium`, without overrides.
"""

from tools.images.rows import ROOT, rows
from tools.tables.described import Served, columns, served
from voxmatrix.machine.facts import Gpu
from voxmatrix.plan.driver_state import does_not_start
from voxmatrix.tables.gpus import architecture, driver_error
from voxmatrix.tables.rows import read as rows_of_table

PAGE = ROOT / "docs" / "gpus.md"
_HEAD = """# Which image for which GPU

Written by `./run derive` from the machine descriptions in `tests/machines/`; do not edit. Nothing
here was measured on such a computer: verdicts follow from the driver and the kernels of each image's torch, plans from
the tables in `app/voxmatrix/tables/`. `voxmatrix doctor` and `voxmatrix plan` report the same for your computer;
`doctor` also runs a smoke test on it.

**native**: runs. **ptx-jit**: runs, but the first start takes minutes. **unsupported**: this torch has no kernels for
the GPU. **driver-too-old**: runs with a newer driver. **no build**: this torch does not exist for the processor.
The batch is recordings per batch × batches per step.

**What was run.** One GPU was at hand for minutes, an NVIDIA H200: the app ran there with another torch, and none of
the images did ([what, and how fast](inside/measured-by-hand.md#on-an-h200)). *image*: the image was built, its
kernels were measured and its commands ran on a CPU; from torch 2.10 on, every quality also passed through its torch
as CUDA tensors without values (`tests/images/`). What the row says about the GPU is derived. *all*: the computer
trains and speaks on its CPU, and that was run in this image. *nothing*: the image was never built for such a
computer, or never run.

**AMD and Intel GPUs.** You build the images `rocm` and `xpu` yourself: their torch is only on torch's own index, which
could not be reached here, so their packages are not locked yet (`./run build-rocm` says what to type). Neither image
was locked, built or tested, and voxmatrix never ran on an AMD or Intel GPU. The app uses ROCm through `torch.cuda` and
Intel's GPUs through `torch.xpu`, in fp32; this was tested only with stand-ins for torch's functions. The target of a
GPU (`gfx1100`, `bmg`) is read from Linux; those of the images come from a report and a build script, which their rows
in `docker/images.toml` name. A GPU that torch has no kernels for keeps the image `cpu`. Several Intel GPUs cannot train
one voice together.

"""

_STATES = """
## What is said where NVIDIA's driver fails

A driver that is there and fails answers with a code: `nvml` is the library that lists GPUs, `cuda` the one that starts
them. In an image for GPUs nothing is computed on the CPU instead, unless `--device cpu` says so. From
`app/voxmatrix/tables/driver_errors.toml`; seen with stub libraries, in containers too, not on broken computers.

"""


def page() -> str:
    """The page as Markdown."""
    verdicts = [f"`{image.name}` ({image.torch})" for image in columns()]
    head = ["computer", "GPU", "capability", *verdicts, "best image", "precision", "batch", "what was run"]
    table = [
        [
            one.computer,
            *_of(one.gpu),
            *one.verdicts,
            f"`{one.image}`",
            one.precision,
            f"{one.plan.batch_size.value} × {one.plan.accumulation.value}",
            _run(one),
        ]
        for one in served()
    ]
    return (
        _HEAD
        + _markdown(head, table)
        + _STATES
        + _markdown(["answer", "exit code", "problem", "what to do"], _states())
    )


def _markdown(head: list[str], body: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *body])


def _states() -> list[list[str]]:
    """The answers of a driver that fails, each with what a command says and ends with."""
    names = [f"{library} {code}" for library, codes in rows_of_table("driver_errors.toml").items() for code in codes]
    return [
        [name, str(does_not_start(name).exit_code), error.problem, error.remedy.replace("|", "\\|")]
        for name in names
        for error in (driver_error(name),)
    ]


def _run(one: Served) -> str:
    """How much of a row rests on runs; the rest is derived. Images were built for 64-bit PCs with Linux only."""
    on_linux = (one.machine.platform, one.machine.architecture) == ("linux", "x86_64")
    if not on_linux or rows()[one.image].status != "tested":
        return "nothing"
    return "all" if one.plan.device.value == "cpu" else "image"


def _of(gpu: Gpu | None) -> tuple[str, str]:
    if gpu is None:
        return "none", ""
    row = architecture(gpu.capability) if gpu.capability else None
    called = gpu.name or f"a GPU ({gpu.kind})"
    return called, f"{gpu.capability} {row.architecture}" if row else str(gpu.capability or gpu.target or "")
