"""`voxmatrix book`: a book in, an audiobook out."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.book.contents import BookFile, Chapters, Notes, duration, read_chapters
from voxmatrix.cli.book.speaking import speaking_progress
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.device_request import requested_device
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.parameters.synthesis import VoiceOptions, fitting_workers, selected_devices, speak_settings
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.cli.terminal.warn import warn
from voxmatrix.config import environment, home
from voxmatrix.errors import Finding, UsageError
from voxmatrix.files import check_not_folder
from voxmatrix.plan.overrides import override_number
from voxmatrix.wording import count

if TYPE_CHECKING:
    from voxmatrix.book.content import Book
    from voxmatrix.book.join.audiobook import Joined
    from voxmatrix.book.join.settings import JoinSettings
    from voxmatrix.book.make import Workers
    from voxmatrix.speak.options import SpeakSettings
    from voxmatrix.work.executors.base import Executor
    from voxmatrix.work.job import JobOutcome

#: Seconds of speech that --preview makes.
_PREVIEW_SECONDS = 60.0
_MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class BookOptions(VoiceOptions, options.ThreadOptions, options.DeviceOptions, options.ClusterOptions):
    """The options of `book make`."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="PATH", help="BOOK.m4b; or BOOK.mp3, .m4a, .opus, .ogg, .flac for a file per chapter."
        ),
    ] = None
    chapters: Chapters = ""
    notes: Notes = False
    titles: Annotated[
        Path | None,
        typer.Option("--titles", metavar="FILE", help='Other titles of chapters, as JSON: {"1": "The storm"}.'),
    ] = None
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


def folders(parameters: Mapping[str, Any]) -> list[Path]:
    """The folders that the command writes to: of the audiobook, and of finished sentences."""
    return [Path(parameters["out"] or "").parent, home() / "jobs"]


@expand
def command(context: typer.Context, file: BookFile, *, given: BookOptions, as_json: options.AsJson = False) -> None:
    """Make an audiobook with chapters, alone or on a cluster. Interrupt it at any time: the same command continues."""
    from voxmatrix.book.make import BookRequest, open_book_job
    from voxmatrix.book.selection import beginning
    from voxmatrix.piper.files import default_voice, find_voice, voice_language

    out = _out(file, given)
    speech = speak_settings(given, threads=given.threads)
    voice = find_voice(Path(given.voice) if given.voice else default_voice())
    book = read_chapters(file, given.chapters, notes=given.notes, titles=given.titles)
    language = voice_language(voice)
    for finding in (*book.findings, *_other_language(book, language)):
        warn(finding)
    split_as = book.language or language
    request = BookRequest(
        source=file,
        book=beginning(book, split_as, _PREVIEW_SECONDS) if given.preview else book,
        language=split_as,
        voice=voice,
        out=out,
        speech=speech,
        joining=_joining(given, voice),
    )
    workers = _cluster(given, voice) if given.cluster else _own_processes(context, given, voice, speech)
    with open_book_job(request) as job:
        with speaking_progress(as_json, len(request.book.chapters)) as on_progress:
            outcome = job.speak(workers, on_progress)
        for finding in outcome.findings:
            warn(finding)
        with progress("joining", as_json=as_json) as on_joining:
            joined = job.join(on_joining)
    _show(joined, outcome, len(job.units), request.job_folder, as_json=as_json)


def _own_processes(context: typer.Context, given: BookOptions, voice: Path, speech: "SpeakSettings") -> "Workers":
    """Worker processes on the devices of this computer."""
    sources = ParameterSources(context)
    request = requested_device(sources, given.device, given.gpu, given.use_gpu)
    devices = selected_devices(voice, request, context.obj).devices
    forced = override_number(given.parallel_voices, *sources.of("parallel_voices"))
    number = forced.value if forced else fitting_workers(devices)

    def start(incoming: Path) -> "AbstractContextManager[Executor]":
        from voxmatrix.work.executors.local import LocalExecutor

        return LocalExecutor(voice, speech, incoming, workers=number, devices=devices, warn=warn)

    return start


def _cluster(given: BookOptions, voice: Path) -> "Workers":
    """The workers of a cluster."""
    from voxmatrix.work.cluster.address import broker_url

    broker = broker_url(given.cluster, environment())

    def start(incoming: Path) -> "AbstractContextManager[Executor]":
        from voxmatrix.work.executors.celery import CeleryExecutor

        return CeleryExecutor(broker, voice, incoming, store=given.store, results=given.results)

    return start


def _other_language(book: "Book", language: str) -> list[Finding]:
    of_book = book.language.lower().split("-")[0]
    if not of_book or of_book == language.lower().split("-")[0]:
        return []
    problem = f"the book is in {book.language}, and the voice speaks {language}: it will sound foreign"
    return [Finding(problem=problem, remedy="choose a voice for that language (--voice)", severity="warning")]


def _out(file: Path, given: BookOptions) -> Path:
    from voxmatrix.book.join.manifest import manifest_path
    from voxmatrix.book.make import is_unfinished

    out = given.out or Path(file.with_suffix(".m4b").name)
    if given.preview:
        out = out.with_name(f"{out.stem}.preview{out.suffix}")
    check_not_folder(out)
    for path in (out, manifest_path(out)):
        if path.exists() and not given.force and not is_unfinished(out):
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


def _show(joined: "Joined", outcome: "JobOutcome", sentences: int, job_folder: Path, *, as_json: bool) -> None:
    for finding in joined.findings:
        warn(finding)
    if as_json:
        files = [str(path) for path in (*joined.sound, *joined.others)]
        summary = {"out": files, "manifest": str(joined.manifest), "sentences": sentences, "seconds": joined.seconds}
        typer.echo(json.dumps({**summary, "spoken": outcome.spoken, "kept": outcome.known}))
        return
    *chapters, last = joined.sound
    parts = f"; {count(len(chapters), 'file')} in {chapters[0].parent}" if chapters else ""
    typer.echo(f"{last}: {duration(joined.seconds)}, {count(sentences, 'sentence')}{parts}")
    for path in joined.others:
        typer.echo(str(path))
    typer.echo(f"{joined.manifest}: all sentences, with their checksums")
    size = sum(path.stat().st_size for path in job_folder.rglob("*") if path.is_file()) / _MIB
    typer.echo(
        f"{size:.1f} MiB of single sentences are kept: after a change, only what changed is spoken again\n"
        f"  → if you need them no more, delete {job_folder}",
        err=True,
    )
