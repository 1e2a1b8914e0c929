"""`voxmatrix book`: a book in, an audiobook out; `book inspect` shows what is in it."""

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from voxmatrix.cli.checked_command import CheckedCommand
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.device_request import requested_device
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.parameters.synthesis import SynthesisOptions, selected_devices, speak_settings
from voxmatrix.cli.speak_batch import fitting_workers
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.cli.terminal.warn import warn
from voxmatrix.errors import Finding, UsageError
from voxmatrix.plan.overrides import override_number
from voxmatrix.wording import count

if TYPE_CHECKING:
    from voxmatrix.book.content import Book
    from voxmatrix.book.join.audiobook import Joined
    from voxmatrix.book.join.settings import JoinSettings
    from voxmatrix.book.make import OnBookProgress
    from voxmatrix.work.executors.base import Executor
    from voxmatrix.work.job import JobOutcome, JobProgress

_MAKE = "make"
#: Seconds of speech that --preview makes.
_PREVIEW_SECONDS = 60.0
#: Between two lines of progress with --json.
_JSON_SECONDS = 1.0
_MIB = 1 << 20


class BookGroup(TyperGroup):
    """`book FILE` is short for `book make FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the command that was left out."""
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = [_MAKE, *args]
        return list(super().parse_args(ctx, args))


group = typer.Typer(
    cls=BookGroup,
    no_args_is_help=True,
    help="Make an audiobook: voxmatrix book FILE --voice V --out BOOK.m4b. The word `make` can be left out.",
)

BookFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="EPUB, text, Markdown or HTML; others are converted by Calibre.")
]
Chapters = Annotated[str, typer.Option("--chapters", metavar="LIST", help="Only these chapters, e.g. 3-7,9.")]
Notes = Annotated[bool, typer.Option("--notes", help="Read footnotes and endnotes, too.")]


@dataclass(frozen=True, kw_only=True)
class BookOptions(SynthesisOptions, options.ThreadOptions, options.DeviceOptions):
    """The options of `book make`."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="PATH", help="BOOK.m4b; or BOOK.mp3, .m4a, .opus, .ogg, .flac for a file per chapter."
        ),
    ] = None
    chapters: Chapters = ""
    notes: Notes = False
    preview: Annotated[bool, typer.Option("--preview", help="Make only the first minute.")] = False
    paragraph_pause: Annotated[
        float, options.option("--paragraph-pause", "SECONDS", "Pause between paragraphs.", panel="Voice")
    ] = 0.7
    chapter_pause: Annotated[
        float, options.option("--chapter-pause", "SECONDS", "Pause between chapters.", panel="Voice")
    ] = 2.0
    subtitles: Annotated[
        bool, typer.Option("--subtitles", help="Write BOOK.srt and BOOK.vtt.", rich_help_panel="Output")
    ] = False
    read_along: Annotated[
        bool,
        typer.Option(
            "--read-along", help="Write BOOK.epub, whose text is marked as it is spoken.", rich_help_panel="Output"
        ),
    ] = False
    bitrate: options.Bitrate = ""
    force: options.Force = False
    parallel_voices: options.ParallelVoices = "auto"


@group.command(_MAKE, cls=CheckedCommand, epilog=options.EPILOG)
@expand
def make(context: typer.Context, file: BookFile, *, given: BookOptions, as_json: options.AsJson = False) -> None:
    """Make an audiobook with chapters. Interrupt it at any time: the same command continues."""
    from voxmatrix.book.make import BookRequest, open_book_job
    from voxmatrix.book.read import read_book
    from voxmatrix.speak.voice_files import default_voice, find_voice, voice_language

    sources = ParameterSources(context)
    out = _out(file, given)
    speech = speak_settings(given, threads=given.threads)
    voice = find_voice(Path(given.voice) if given.voice else default_voice())
    book = _selected(read_book(file, given.notes), given.chapters)
    language = voice_language(voice)
    for finding in (*book.findings, *_other_language(book, language)):
        warn(finding)
    request = BookRequest(
        source=file,
        book=_beginning(book, language) if given.preview else book,
        language=book.language or language,
        voice=voice,
        out=out,
        speech=speech,
        joining=_joining(given, voice),
    )
    devices = selected_devices(voice, requested_device(sources, given.device, given.gpu, given.use_gpu), context.obj)
    forced = override_number(given.parallel_voices, *sources.of("parallel_voices"))
    number = forced.value if forced else fitting_workers(devices.devices)

    def workers(incoming: Path) -> "AbstractContextManager[Executor]":
        from voxmatrix.work.executors.local import LocalExecutor

        return LocalExecutor(voice, speech, incoming, workers=number, devices=devices.devices, warn=warn)

    with open_book_job(request) as job:
        with _speaking(as_json, len(request.book.chapters)) as on_progress:
            outcome = job.speak(workers, on_progress)
        for finding in outcome.findings:
            warn(finding)
        with progress("joining", quiet=as_json) as on_joining:
            joined = job.join(on_joining)
    _show(joined, outcome, len(job.units), request.job_folder, as_json=as_json)


@group.command("inspect")
def inspect(
    file: BookFile,
    chapters: Chapters = "",
    notes: Notes = False,
    voice: options.VoicePath = "",
    as_json: options.AsJson = False,
) -> None:
    """Show the chapters of a book, how long it will be, and how long this computer needs to speak it."""
    from voxmatrix.book.read import read_book

    book = _selected(read_book(file, notes), chapters)
    rows = [_row(chapter.index, chapter.title, chapter.paragraphs, book.language) for chapter in book.chapters]
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "title": book.title,
                    "authors": book.authors,
                    "language": book.language,
                    "cover": book.cover is not None,
                    "chapters": rows,
                }
            )
        )
        return
    _print_contents(book, rows)
    for finding in book.findings:
        warn(finding)
    _print_duration(sum(row["seconds"] for row in rows), voice)


def _selected(book: "Book", chapters: str) -> "Book":
    if not chapters:
        return book
    from voxmatrix.book.selection import select_chapters

    wanted = set(select_chapters(chapters, len(book.chapters)))
    return replace(book, chapters=tuple(chapter for chapter in book.chapters if chapter.index in wanted))


def _beginning(book: "Book", language: str) -> "Book":
    """The first paragraphs of the first chapter that have any sentence."""
    from voxmatrix.book.sentences import sentences
    from voxmatrix.work.job import estimated_seconds

    for chapter in book.chapters:
        paragraphs: list[str] = []
        seconds = 0.0
        for paragraph in chapter.paragraphs:
            if seconds >= _PREVIEW_SECONDS:
                break
            seconds += sum(estimated_seconds(one.text) for one in sentences([paragraph], book.language or language))
            paragraphs.append(paragraph)
        if seconds:
            return replace(book, chapters=(replace(chapter, paragraphs=tuple(paragraphs)),))
    return book


def _other_language(book: "Book", language: str) -> list[Finding]:
    of_book = book.language.lower().split("-")[0]
    if not of_book or of_book == language.lower().split("-")[0]:
        return []
    problem = f"the book is in {book.language}, and the voice speaks {language}: it will sound foreign"
    return [Finding(problem=problem, remedy="choose a voice for that language (--voice)", severity="warning")]


def _out(file: Path, given: BookOptions) -> Path:
    from voxmatrix.book.join.manifest import manifest_path

    out = given.out or Path(file.with_suffix(".m4b").name)
    if given.preview:
        out = out.with_name(f"{out.stem}.preview{out.suffix}")
    for path in (out, manifest_path(out)):
        if path.exists() and not given.force:
            raise UsageError(f"{path} already exists", "choose another --out, or add --force to overwrite it")
    return out


def _joining(given: BookOptions, voice: Path) -> "JoinSettings":
    from voxmatrix.book.join.settings import JoinSettings
    from voxmatrix.book.join.timeline import Pauses

    pauses = Pauses(sentence=given.sentence_pause, paragraph=given.paragraph_pause, chapter=given.chapter_pause)
    return JoinSettings(
        pauses=pauses,
        bitrate=given.bitrate or None,
        narrator=voice.stem,
        subtitles=given.subtitles,
        overlay=given.read_along,
    )


@contextmanager
def _speaking(as_json: bool, chapters: int) -> Iterator["OnBookProgress"]:
    """Progress as a bar or, with --json, as a JSON line every second."""
    if as_json:
        yield _json_lines(chapters)
        return
    shown = ""
    with progress("sentences spoken", note=lambda: shown) as on_progress:

        def progressed(state: "JobProgress", complete: int) -> None:
            nonlocal shown
            speed = sum(state.speeds.values())
            shown = f"{count(complete, 'chapter')} of {chapters}" + (f", {speed:.0f}× real time" if speed else "")
            on_progress(state.done + state.given_up, state.total)

        yield progressed


def _json_lines(chapters: int) -> "OnBookProgress":
    last = 0.0

    def progressed(state: "JobProgress", complete: int) -> None:
        nonlocal last
        now = time.monotonic()
        if state.seconds_left and now - last < _JSON_SECONDS:
            return
        last = now
        line = {
            "done": state.done,
            "given_up": state.given_up,
            "total": state.total,
            "chapters_done": complete,
            "chapters": chapters,
            "audio_seconds": round(state.audio_seconds, 1),
            "seconds_left": None if state.seconds_left is None else round(state.seconds_left, 1),
            "speeds": {worker: round(speed, 2) for worker, speed in state.speeds.items()},
        }
        typer.echo(json.dumps({"progress": line}))

    return progressed


def _show(joined: "Joined", outcome: "JobOutcome", sentences: int, job_folder: Path, *, as_json: bool) -> None:
    for finding in joined.findings:
        warn(finding)
    if as_json:
        files = [str(path) for path in (*joined.sound, *joined.others)]
        summary = {"out": files, "manifest": str(joined.manifest), "sentences": sentences, "seconds": joined.seconds}
        typer.echo(json.dumps({**summary, "spoken": outcome.spoken, "kept": outcome.known}))
        return
    typer.echo(f"{joined.sound[-1]}: {_duration(joined.seconds)}, {count(sentences, 'sentence')}")
    for path in joined.others:
        typer.echo(str(path))
    typer.echo(f"{joined.manifest}: all sentences, with their checksums")
    size = sum(path.stat().st_size for path in job_folder.rglob("*") if path.is_file()) / _MIB
    typer.echo(
        f"{size:.0f} MiB of single sentences are kept: after a change, only what changed is spoken again\n"
        f"  → if you need them no more, delete {job_folder}",
        err=True,
    )


def _row(index: int, title: str, paragraphs: tuple[str, ...], language: str) -> dict[str, Any]:
    from voxmatrix.book.sentences import sentences
    from voxmatrix.work.job import estimated_seconds

    found = [one.text for one in sentences(paragraphs, language)]
    return {
        "index": index,
        "title": title,
        "characters": sum(map(len, paragraphs)),
        "sentences": len(found),
        "seconds": round(sum(map(estimated_seconds, found)), 1),
    }


def _print_contents(book: "Book", rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    about = [book.title or "without a title", ", ".join(book.authors), book.language]
    typer.echo(" · ".join(filter(None, about)) + ("" if book.cover else " · no cover"))
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("chapter", overflow="fold")
    for heading in ("characters", "sentences", "time"):
        table.add_column(heading, justify="right")
    for row in rows:
        numbers = (str(row["characters"]), str(row["sentences"]), _duration(row["seconds"]))
        table.add_row(str(row["index"]), row["title"], *numbers)
    Console(markup=False, highlight=False).print(table)


def _print_duration(seconds: float, name: str) -> None:
    from voxmatrix.errors import VoxmatrixError
    from voxmatrix.speak.speed import measured_speed
    from voxmatrix.speak.voice_files import default_voice, find_voice

    typer.echo(f"about {_duration(seconds)} of speech")
    try:
        voice = find_voice(Path(name) if name else default_voice())
        speed = measured_speed(voice)
    except VoxmatrixError as error:
        if name:
            raise
        warn(Finding(problem=error.problem, remedy=error.remedy, severity="warning"))
        return
    typer.echo(f"about {_duration(seconds / speed)} to speak it with {voice.stem} on this computer's CPU")


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
