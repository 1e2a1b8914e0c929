"""Long recordings, cut into clips with texts: a data set in the folder of the job."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from voxmatrix.dataset.segment.corrections import read_segments
from voxmatrix.dataset.segment.output import METADATA, Segment
from voxmatrix.errors import BadInputError
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import ENDED, Job, Work
from voxmatrix.serve.jobs.kinds.kind import Id, JobRequest, LanguageTag, Sources, number
from voxmatrix.serve.jobs.uploads import link

_DATA = "data"
_MAX_FILES = 1000

#: Models of faster-whisper that hear words.
Judge = Literal["tiny", "base", "small", "medium", "large-v3", "turbo"]


class SegmentJobRequest(JobRequest):
    """Uploaded recordings in the order of their text, and the text: none, one for all of them, or one for each."""

    kind: Literal["segment"]
    files: Annotated[tuple[Id, ...], Field(min_length=1, max_length=_MAX_FILES)]
    texts: Annotated[tuple[Id, ...], Field(max_length=_MAX_FILES)] = ()
    language: LanguageTag | None = None
    judge: Judge | None = None
    speakers: Annotated[int, Field(ge=1, le=1000)] | Literal["auto"] | None = None
    min_snr: number(0.0, 200.0) | None = None  # type: ignore[valid-type]

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix segment`."""
        if len(self.texts) not in (0, 1, len(self.files)):
            message = f"give no text, one, or one for each of the {len(self.files)} files"
            raise ApiError(400, message, param="texts", code="invalid_value")
        recordings, texts = (
            [sources.uploads.take(file, folder / kind / str(place)) for place, file in enumerate(files, start=1)]
            for kind, files in (("input", self.files), ("text", self.texts))
        )
        words = ["segment", *map(str, recordings), f"--out={folder / _DATA}", *(f"--text={path}" for path in texts)]
        return Work(
            title=recordings[0].stem,
            words=(*words, *self.options(("language", "judge", "speakers", "min_snr"))),
            lane="device cpu",
            measure="recognise",
            files=(f"{_DATA}/*.csv", f"{_DATA}/*.json"),
            result=("clips", "seconds", "speakers", "left_out"),
        )


def segmentation(job: Job, folder: Path) -> tuple[Path, list[Segment]]:
    """The data set that a job has made, and all parts of its recordings.

    Raises:
        ApiError: the job cuts no recordings, has not ended, or has made no clips.
    """
    if job.kind != "segment":
        raise ApiError(400, "that job cuts no recordings", param="job", code="invalid_value")
    if job.state in ENDED:
        with suppress(BadInputError):
            return folder / _DATA, read_segments(folder / _DATA)
    raise ApiError(409, f"that job is {job.state}, and has made no clips", param="job", code="wrong_state")


def recording_names(folder: Path) -> list[str]:
    """The names of the recordings of a job, in order."""
    return [path.name for path in sorted(folder.glob("input/*/*"), key=lambda path: int(path.parent.name))]


def copy_clips(job: Job, source: Path, folder: Path) -> Path:
    """Give another job the clips as they are now: what is corrected later changes nothing in it.

    Raises:
        ApiError: there are none.
        UnreachableError: the disk is full.
    """
    data, segments = segmentation(job, source)
    names = [one.file for one in segments if not one.reason]
    if not names:
        raise ApiError(400, "all clips of that job are left out", param="job", code="invalid_value")
    for name in (METADATA, *names):
        link(data / name, folder / _DATA / name)
    return folder / _DATA
