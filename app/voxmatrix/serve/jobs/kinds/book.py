"""Jobs that make an audiobook."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from voxmatrix.book.people.cast_file import whole_table
from voxmatrix.book.shelf import job_folder
from voxmatrix.errors import UsageError
from voxmatrix.files import write_text
from voxmatrix.serve.casts.store import kept_table, wire_name, with_voices
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import ENDED, Job, Work
from voxmatrix.serve.jobs.kinds.kind import Id, Name, Plain, Sources, VoiceRequest, exactly_one, named_voice, number
from voxmatrix.serve.jobs.uploads import link
from voxmatrix.tables.shops import shop_named
from voxmatrix.work.ledger_files import copy_ledger

ChapterNumber = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")]
_OPTIONS = (
    "chapters", "notes", "preview", "paragraph_pause", "chapter_pause", "subtitles", "read_along", "target",
    "opening_credits", "closing_credits",
)  # fmt: skip


Part = Annotated[str, Field(pattern=r"^[a-z-]{1,20}$")]  # a kind of parts of a book
Parts = Annotated[list[Part], Field(max_length=20)]


class BookJobRequest(VoiceRequest):
    """An uploaded book, or that of an earlier audiobook, of which only what has changed is spoken again."""

    kind: Literal["book"]
    file: Id | None = None
    job: Id | None = None
    chapters: Annotated[str, Field(pattern=r"^[0-9, -]{1,20000}$")] | None = None
    titles: dict[ChapterNumber, Plain] | None = None
    include: Parts | None = None
    exclude: Parts | None = None
    notes: bool = False
    dialogue_voice: Name | None = None  # of what persons say
    cast: bool = False  # the voices of its people, as `/v1/casts` keeps them
    preview: bool = False
    paragraph_pause: number(0.0, 60.0) | None = None  # type: ignore[valid-type]
    chapter_pause: number(0.0, 60.0) | None = None  # type: ignore[valid-type]
    subtitles: bool = False
    read_along: bool = False
    cluster: bool = False
    format: Literal["m4b", "mp3", "m4a", "opus", "ogg", "flac"] = "m4b"
    target: Annotated[str, Field(pattern=r"^[a-z]{1,20}$")] | None = None  # a shop, which decides the format
    opening_credits: Plain | None = None
    closing_credits: Plain | None = None

    def work(self, sources: Sources, folder: Path) -> Work:
        """The words of `voxmatrix book make`."""
        exactly_one(self, "file", "job")
        if self.cluster and not sources.settings.cluster:
            message = "this server has no cluster; voxmatrix serve --cluster URL sets one"
            raise ApiError(400, message, param="cluster", code="invalid_value")
        voice = self.voice_words(sources)
        source = self._source(sources, folder)
        out = folder / "book" / f"{source.stem}.{self._format()}"
        words = ["book", "make", str(source), f"--out={out}", "--force", *voice, *self.options(_OPTIONS)]
        words += [*kinds_words(self.include, self.exclude), *self._files(sources, folder)]
        words += self._cast_words(sources, folder, source) if self.cast else self.quotation_words(sources, folder)
        if self.job is not None:
            copy_ledger(Path(sources.job(self.job)[0].work.leftovers[0]), job_folder(source), link)
        return Work(
            title=source.stem,
            words=tuple(words),
            lane="speech",
            measure="speak",
            files=("book/*", "book/*/*"),
            leftovers=(str(job_folder(source)),),
            result=("sentences", "seconds", "spoken", "kept"),
            cluster=self.cluster,
        )

    def _format(self) -> str:
        if self.target is None:
            return self.format
        try:
            return shop_named(self.target).format
        except UsageError as error:
            raise ApiError(400, str(error), param="target", code="invalid_value") from error

    def _source(self, sources: Sources, folder: Path) -> Path:
        if self.file is not None:
            return sources.uploads.take(self.file, folder / "input")
        job, earlier = sources.job(self.job or "")
        book = book_of(job, earlier)
        if job.state not in ENDED:
            message = f"that job is {job.state}: cancel it, or wait until it ends"
            raise ApiError(409, message, param="job", code="wrong_state")
        return link(book, folder / "input" / book.name)

    def _cast_words(self, sources: Sources, folder: Path, book: Path) -> list[str]:
        """Words for the table of its people, as it is now, with the files of their voices.

        Raises:
            ApiError: there is no table, it names a voice that is missing, or another voice of dialogue is set.
        """
        if self.dialogue_voice is not None:
            message = "the cast names the voice of dialogue: leave out dialogue_voice, or cast"
            raise ApiError(400, message, param="dialogue_voice", code="invalid_value")
        table = kept_table(book)
        if table is None:
            message = (
                "nobody has looked yet at who speaks in this book: do that first (POST /v1/casts), or leave out cast"
            )
            raise ApiError(400, message, param="cast", code="invalid_value")
        path = folder / "cast.toml"
        write_text(path, whole_table(with_voices(table, lambda name: _voice_file(sources, name))))
        return [f"--cast={path}"]

    def _files(self, sources: Sources, folder: Path) -> list[str]:
        """Words for the options that are files."""
        words = []
        if self.titles:
            write_text(folder / "titles.json", json.dumps(self.titles))
            words.append(f"--titles={folder / 'titles.json'}")
        return words + self.lexicon_words(sources, folder)


def _voice_file(sources: Sources, name: str) -> str:
    voice, speaker = named_voice(sources, wire_name(name), "cast")
    return f"{voice.path.absolute()}{'' if speaker is None else f'|{speaker}'}"


def kinds_words(include: Sequence[str] | None, exclude: Sequence[str] | None) -> list[str]:
    """Words for the parts of a book that are read, and those that are not."""
    given = (("--include", include), ("--exclude", exclude))
    return [f"{flag}={','.join(kinds)}" for flag, kinds in given if kinds]


def source_book(sources: Sources, request: BaseModel) -> Path:
    """The book that `file` or `job` of a request names.

    Raises:
        ApiError: there is none, or both are set.
    """
    exactly_one(request, "file", "job")
    file, job = getattr(request, "file", None), getattr(request, "job", None)
    return book_of(*sources.job(job)) if job is not None else sources.uploads.get(file or "").path


def book_of(job: Job, folder: Path) -> Path:
    """The book of an audiobook.

    Raises:
        ApiError: the job is not an audiobook.
    """
    books = list((folder / "input").iterdir()) if job.kind == "book" else []
    if not books:
        raise ApiError(400, "that job is not an audiobook", param="job", code="invalid_value")
    return books[0]
