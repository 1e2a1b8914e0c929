"""A voice of the library, downloaded."""

from pathlib import Path
from typing import Literal

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import JobRequest, Name, Sources
from voxmatrix.voices.library import is_public


class DownloadJobRequest(JobRequest):
    """A name of the library, or kokoro for all of its voices."""

    kind: Literal["download"]
    voice: Name
    accept_licence: bool = False

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix voices download`."""
        if not is_public(self.voice):
            raise ApiError(400, "the library has no such voice", param="voice", code="invalid_value")
        return Work(
            title=self.voice,
            words=("voices", "download", self.voice, *self.options(("accept_licence",))),
            lane="download",
            measure="download",
            result=("voices",),
        )
