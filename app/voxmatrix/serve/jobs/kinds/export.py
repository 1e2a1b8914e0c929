"""A finished training, exported as a voice that can be spoken with at once."""

from pathlib import Path
from typing import Literal

from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import (
    Id,
    JobRequest,
    Sources,
    VoiceName,
    check_new,
    number,
    voice_files,
    voice_path,
)
from voxmatrix.serve.jobs.kinds.train import training


class ExportJobRequest(JobRequest):
    """A training, and the name of the voice."""

    kind: Literal["export"]
    job: Id
    name: VoiceName
    noise: number(0.0, 10.0) | None = None  # type: ignore[valid-type]
    noise_w: number(0.0, 10.0) | None = None  # type: ignore[valid-type]
    replace: bool = False
    force: bool = False  # also a training that has not learned to speak

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix export voice`."""
        run = training(*sources.job(self.job))
        out = voice_path(self.name)
        if not self.replace:
            check_new(sources, self.name, replaceable=True)
        words = ["export", "voice", str(run), f"--out={out}", *self.options(("noise", "noise_w"))]
        words += ["--force"] * (self.replace or self.force)
        return Work(
            title=self.name,
            words=tuple(words),
            lane="files",
            measure=None,
            files=voice_files(self.name),
            result=("max_difference", "doubt"),
        )
