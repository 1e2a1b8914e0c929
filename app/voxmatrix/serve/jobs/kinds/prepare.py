"""A check of recordings."""

from pathlib import Path
from typing import Literal

from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Sources
from voxmatrix.serve.jobs.kinds.recordings import RecordingsRequest


class PrepareJobRequest(RecordingsRequest):
    """A check of recordings."""

    kind: Literal["prepare"]

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix prepare`."""
        data = self.data(sources, folder)
        return Work(
            title=data.title,
            words=("prepare", *data.words),
            lane="files",
            measure="prepare",
            result=None,
            unpack=data.unpack,
        )
