"""Jobs that train a voice."""

import importlib.metadata
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import Job, Work
from voxmatrix.serve.jobs.kinds.kind import Count, Device, Id, Plain, Seed, Sources, exactly_one, number
from voxmatrix.serve.jobs.kinds.recordings import PreparedRequest
from voxmatrix.serve.jobs.kinds.segment import Judge
from voxmatrix.serve.jobs.uploads import link
from voxmatrix.tables.rows import version

#: The folder of the run, in that of the job.
RUN = "run"
#: The first torch without GHSA-63cw-57p8-fm3p.
_SAFE_TORCH = (2, 10, 0)
Many = Annotated[int, Field(ge=1, le=100_000)] | Literal["auto"]
Switch = Literal["on", "off", "auto"]
PLAN = (
    "device", "devices", "precision", "tf32", "cudnn_benchmark", "batch_size", "accumulation",
    "gradient_checkpointing", "compile", "graphs", "workers", "prepare_workers",
)  # fmt: skip
_OPTIONS = (
    "max_steps", "epochs", "max_batch_seconds", "learning_rate", "discriminator_start", "seed", "tune",
    "validate_every", "checkpoint_every", "keep", "threads", "patience", "sample_text", "judge",
)  # fmt: skip


class PlanFields(BaseModel):
    """Settings that the plan chooses unless they are given."""

    device: Device | None = None
    devices: Many | None = None
    precision: Literal["fp32", "bf16", "fp16", "auto"] | None = None
    tf32: Switch | None = None
    cudnn_benchmark: Switch | None = None
    batch_size: Many | None = None
    accumulation: Many | None = None
    gradient_checkpointing: Switch | None = None
    compile: Switch | None = None
    graphs: Switch | None = None
    workers: Many | Literal["none"] | None = None
    prepare_workers: Many | None = None


class StartFrom(BaseModel):
    """Where the weights come from: an earlier training, or an uploaded checkpoint."""

    model_config = ConfigDict(extra="forbid")

    job: Id | None = None
    file: Id | None = None


class TrainJobRequest(PreparedRequest, PlanFields):
    """Recordings, and how to train with them."""

    kind: Literal["train"]
    start_from: StartFrom | None = None
    max_steps: Count | None = None
    epochs: Count | None = None
    max_batch_seconds: number(0.0, 100_000.0) | None = None  # type: ignore[valid-type]
    learning_rate: number(0.0, 1.0) | None = None  # type: ignore[valid-type]
    discriminator_start: Annotated[int, Field(ge=0, le=10**9)] | None = None
    seed: Seed | None = None
    tune: bool = False
    validate_every: Count | None = None
    checkpoint_every: Count | None = None
    keep: Annotated[int, Field(ge=1, le=1000)] | None = None
    patience: Count | None = None
    sample_text: Plain | None = None
    judge: Judge | None = None
    threads: Annotated[int, Field(ge=1, le=4096)] | None = None

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix train`."""
        data = self.prepared_data(sources, folder)
        words = ["train", *data.words, f"--out={folder / RUN}", *self.options((*PLAN, *_OPTIONS))]
        if self.start_from is not None:
            words.append(f"--from={_checkpoint(self.start_from, sources, folder)}")
        return Work(
            title=data.title,
            words=tuple(words),
            lane=device_lane(self.device, sources),
            measure="train",
            files=(f"{RUN}/best.ckpt", f"{RUN}/last.ckpt", f"{RUN}/metrics.csv", f"{RUN}/samples/*.wav"),
            result=("steps", "losses", "tuned"),
            unpack=data.unpack,
        )


def device_lane(device: str | None, sources: Sources) -> str:
    """The lane of what computes on a device and nothing else: one at a time for each device."""
    return f"device {sources.automatic_device() if device in (None, 'auto', 'gpu', 'all') else device}"


def training(job: Job, folder: Path) -> Path:
    """The folder of the run of a training.

    Raises:
        ApiError: the job is not a training, or has no checkpoint yet.
    """
    run = folder / RUN
    if job.kind != "train" or not any((run / name).is_file() for name in ("best.ckpt", "last.ckpt")):
        raise ApiError(400, "that job is not a training with a checkpoint", param="job", code="invalid_value")
    return run


def _check_torch() -> None:
    """Check that an uploaded checkpoint can do no harm. Who uses the command line opens files of their own choice.

    Raises:
        ApiError: this torch has GHSA-63cw-57p8-fm3p: a checkpoint can corrupt its memory, also with weights_only.
    """
    try:
        installed = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return  # the command says so
    if (version(installed) or _SAFE_TORCH) < _SAFE_TORCH:
        safe = ".".join(map(str, _SAFE_TORCH))
        problem = f"torch {installed} opens checkpoints in an unsafe way (GHSA-63cw-57p8-fm3p), so none is accepted"
        remedy = f"start from a training of this server, or use a server with torch {safe} or newer (docs/images.md)"
        raise ApiError(403, f"{problem}; {remedy}", param="start_from", code="unsafe_torch")


def _checkpoint(chosen: StartFrom, sources: Sources, folder: Path) -> Path:
    """The checkpoint to start from. A copy: that of another job changes, and may be removed."""
    exactly_one(chosen, "job", "file")
    if chosen.file is not None:
        _check_torch()
        return sources.uploads.take(chosen.file, folder / "start")
    run = training(*sources.job(chosen.job or ""))
    source = next(run / name for name in ("best.ckpt", "last.ckpt") if (run / name).is_file())
    return link(source, folder / "start" / source.name)
