"""An audiobook."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from voxmatrix.book.make import job_folder
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import Work
from voxmatrix.serve.jobs.kinds.kind import Id, Sources, VoiceRequest, number

_OPTIONS = ("chapters", "notes", "preview", "paragraph_pause", "chapter_pause", "subtitles", "read_along")


class BookJobRequest(VoiceRequest):
    """An uploaded book."""

    kind: Literal["book"]
    file: Id
    chapters: Annotated[str, Field(pattern=r"^[0-9, -]{1,500}$")] | None = None
    notes: bool = False
    preview: bool = False
    paragraph_pause: number(0.0, 60.0) | None = None  # type: ignore[valid-type]
    chapter_pause: number(0.0, 60.0) | None = None  # type: ignore[valid-type]
    subtitles: bool = False
    read_along: bool = False
    cluster: bool = False
    format: Literal["m4b", "mp3", "m4a", "opus", "ogg", "flac"] = "m4b"

    def work(self, sources: Sources, folder: Path) -> Work:
        """`book make`."""
        if self.cluster and not sources.cluster:
            message = "this server has no cluster; voxmatrix serve --cluster URL sets one"
            raise ApiError(400, message, param="cluster", code="invalid_value")
        voice = self.voice_words(sources)
        source = sources.uploads.take(self.file, folder / "input")
        out = folder / "book" / f"{source.stem}.{self.format}"
        made = out.with_name(f"{out.stem}.preview{out.suffix}") if self.preview else out
        return Work(
            title=source.stem,
            words=("book", "make", str(source), f"--out={out}", "--force", *voice, *self.options(_OPTIONS)),
            lane="speech",
            measure="sentences spoken",
            files=("book/*", "book/*.partial/*"),
            leftovers=(str(job_folder(made)),),
            result=("sentences", "seconds", "spoken", "kept"),
            cluster=self.cluster,
        )
