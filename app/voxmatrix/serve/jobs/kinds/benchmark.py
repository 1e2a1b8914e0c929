"""A benchmark of the devices of this computer."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Device, JobRequest, Name, Sources, named_voice
from voxmatrix.serve.jobs.kinds.train import device_lane
from voxmatrix.tables.quality import QualityName


class BenchmarkJobRequest(JobRequest):
    """What to measure, and on which device."""

    kind: Literal["benchmark"]
    what: Literal["speak", "train", "matmul"]
    device: Device | Literal["all"] = "auto"
    runs: Annotated[int, Field(ge=1, le=1000)] | None = None
    quality: QualityName | None = None  # for train only
    voice: Name | None = None  # for speak only

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix bench`."""
        words = ["bench", self.what, *self.options(("device", "runs"))]
        if self.what == "speak":
            words.append(f"--voice={named_voice(sources, self.voice)[0].path.absolute()}")
        if self.what == "train":
            words += self.options(("quality",))
        return Work(
            title=f"{self.what} on {self.device}",
            words=tuple(words),
            lane=device_lane(self.device, sources),
            measure=None,
            result=None,
        )
