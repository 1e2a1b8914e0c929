"""Requests about recordings: those in a folder of the server, an uploaded ZIP, clips of long ones; and their check."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from voxmatrix.config import home
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Id, JobRequest, LanguageTag, Plain, Sources, exactly_one, number
from voxmatrix.serve.jobs.kinds.segment import copy_clips
from voxmatrix.tables.quality import QualityName

_FOLDER = "recordings"


class RecordingList(BaseModel):
    """A folder of recordings: `VOXMATRIX_HOME/recordings/PROFILE/LIST`."""

    model_config = ConfigDict(extra="forbid")

    profile: Plain
    list: Plain | None = None


@dataclass(frozen=True)
class Data:
    """Recordings, as a command gets them."""

    title: str
    words: list[str]
    unpack: str | None = None  # the ZIP archive that is to be unpacked first


class RecordingsRequest(JobRequest):
    """Which recordings are used."""

    recordings: RecordingList | None = None
    file: Id | None = None
    job: Id | None = None
    language: LanguageTag | None = None
    force: bool = False

    def data(self, sources: Sources, folder: Path, *names: str) -> Data:
        """The recordings, and options for these fields besides.

        Raises:
            ApiError: there are no such recordings.
            UnreachableError: the disk is full.
        """
        exactly_one(self, "recordings", "file", "job")
        settings = self.options(("language", "force", *names))
        if self.recordings is not None:
            title = " / ".join(filter(None, (self.recordings.profile, self.recordings.list)))
            return Data(title, [str(recordings_folder(self.recordings)), *settings])
        if self.job is not None:
            job, source = sources.job(self.job)
            return Data(job.title, [str(copy_clips(job, source, folder)), *settings])
        archive = sources.uploads.take(self.file or "", folder / "input")
        return Data(archive.stem, [str(folder / "data"), *settings], str(archive.relative_to(folder)))


def recordings_folder(chosen: RecordingList) -> Path:
    """The folder of a list of recordings. Names are looked up, and never become part of a path.

    Raises:
        ApiError: there is no such folder.
    """
    folder = home().absolute() / _FOLDER
    for param, name in (("profile", chosen.profile), ("list", chosen.list)):
        if name is None:
            continue
        places = folder.iterdir() if folder.is_dir() else ()
        found = {path.name: path for path in places if path.is_dir() and not path.is_symlink()}
        if name not in found:
            raise ApiError(400, f"there is no such {param} of recordings", param="recordings", code="invalid_value")
        folder = found[name]
    return folder


class PreparedRequest(RecordingsRequest):
    """How recordings and their texts are prepared for a training."""

    quality: QualityName | None = None
    phonemes: Literal["espeak", "text", "auto"] | None = None
    max_seconds: number(0.0, 600.0) | None = None  # type: ignore[valid-type]

    def prepared_data(self, sources: Sources, folder: Path) -> Data:
        """The recordings, with how they are prepared; raises as `data`."""
        return self.data(sources, folder, "quality", "phonemes", "max_seconds")


class PrepareJobRequest(PreparedRequest):
    """A check of recordings."""

    kind: Literal["prepare"]

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix prepare`."""
        data = self.prepared_data(sources, folder)
        return Work(
            title=data.title,
            words=("prepare", *data.words),
            lane="files",
            measure="prepare",
            result=None,
            unpack=data.unpack,
        )
