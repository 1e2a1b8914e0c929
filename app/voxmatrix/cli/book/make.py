"""`voxmatrix book`: a book in, an audiobook out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.book.contents import (
    BookFile,
    Chapters,
    Exclude,
    Include,
    Notes,
    duration,
    left_out_line,
    other_language,
    read_chapters,
    split_language,
    wanted_kinds,
)
from voxmatrix.cli.book.metadata import MetadataOptions, with_metadata
from voxmatrix.cli.book.speaking import speaking_progress
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.named_voice import voice_named
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.parameters.synthesis import VoiceOptions, selected_devices, speaking_style
from voxmatrix.cli.parameters.workers import cluster_workers, own_processes
from voxmatrix.cli.terminal.messages import echo, print_json, warn, with_flags
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.config import home
from voxmatrix.errors import Finding, UsageError, VoxmatrixError
from voxmatrix.files import check_not_folder
from voxmatrix.plan.overrides import override_number
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.book.check import Doubt
    from voxmatrix.book.join.audiobook import Joined
    from voxmatrix.book.join.finished import JoinSettings
    from voxmatrix.book.make import BookJob
    from voxmatrix.judge.hearing import Recogniser
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.models.device import SpeakDevice
    from voxmatrix.work.executor import Workers
    from voxmatrix.work.job import JobOutcome

#: Values of --judge: nobody hears the book; the model that is used if it is at hand.
_NO_JUDGE, _USUAL_JUDGE = "none", "base"
#: Seconds of speech that --preview makes.
_PREVIEW_SECONDS = 60.0
_MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class BookOptions(MetadataOptions, VoiceOptions, options.ThreadOptions, options.DeviceOptions, options.ClusterOptions):
    """The options of `book make`."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="PATH", help="BOOK.m4b; or BOOK.mp3, .m4a, .opus, .ogg, .flac for a file per chapter."
        ),
    ] = None
    chapters: Chapters = ""
    include: Include = ""
    exclude: Exclude = ""
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
    check: Annotated[
        bool, typer.Option("--check", help="Name sentences that may be spoken wrong.", rich_help_panel="Output")
    ] = False
    judge: Annotated[
        str,
        options.option(
            "--judge", "MODEL", "Hear each sentence, with faster-whisper: base, a folder, or none.", panel="Output"
        ),
    ] = ""
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
    from voxmatrix.voices.cast import with_voices_of

    out = _out(file, given)
    voice = voice_named(given.voice, as_json=as_json)
    style = speaking_style(given, voice)
    kinds = wanted_kinds(given.include, given.exclude, notes=given.notes)
    book = with_metadata(read_chapters(file, given.chapters, kinds, given.titles), given)
    style = with_voices_of(style, "\n".join(part for chapter in book.chapters for part in chapter.paragraphs))
    for finding in (*book.findings, *other_language(book, voice.language)):
        warn(finding)
    if parts := left_out_line(book):
        echo(with_flags(parts), err=True)
    split_as = split_language(book, voice.language)
    devices = () if given.cluster else _devices(context, given, voice)
    request = BookRequest(
        source=file,
        book=beginning(book, split_as, _PREVIEW_SECONDS) if given.preview else book,
        language=split_as,
        voice=voice.on(devices[0]) if devices else voice,
        out=out,
        style=style,
        joining=_joining(given, book.about.narrator or voice.id),
    )
    recogniser = _recogniser(given.judge, voice)
    forced = override_number(given.parallel_voices, *ParameterSources(context).of("parallel_voices"))
    workers = (
        own_processes(voice, style, devices, forced, threads=given.threads)
        if devices
        else cluster_workers(voice, given)
    )
    with open_book_job(request) as job:
        for finding in job.findings:
            warn(finding)
        with speaking_progress(as_json, len(request.book.chapters)) as on_progress:
            outcome = job.speak(workers, on_progress)
        for finding in outcome.findings:
            if finding not in job.findings:
                warn(finding)
        again = workers if voice.capabilities.autoregressive and given.judge != _NO_JUDGE else None
        doubts = _doubts(job, recogniser, again, as_json=as_json) if given.check or recogniser or again else None
        with progress("join", "joining", as_json=as_json) as on_joining:
            joined = job.join(on_joining)
    kinds_left = {part.kind: part.count for part in book.kinds if not part.spoken}
    more = {"left_out": kinds_left} | ({} if doubts is None else {"doubtful": [asdict(doubt) for doubt in doubts]})
    _show(joined, outcome, len(job.units), request.job_folder, more=more if as_json else None)


def _recogniser(judge: str, voice: "VoiceCard") -> "Recogniser | None":
    """The recogniser that is asked for; for a voice that may misspeak, one that is at hand.

    Raises:
        MissingProgramError: the one that is asked for is not installed.
        BadInputError: its model cannot be opened.
    """
    from voxmatrix.judge.hearing import Recogniser

    if judge == _NO_JUDGE or not (judge or voice.capabilities.autoregressive):
        return None
    try:
        return Recogniser(judge or _USUAL_JUDGE, voice.language, download=bool(judge))
    except VoxmatrixError:
        if judge:
            raise
    problem = f"the voice {voice.id} may skip or invent words, and no recogniser is at hand that would hear it"
    remedy = f'pip install "voxmatrix[judge]", then add `judge={_USUAL_JUDGE}`, which downloads the model once'
    warn(Finding(problem=problem, remedy=f"{remedy}; or add `judge={_NO_JUDGE}`", severity="warning"))
    return None


def _doubts(
    job: "BookJob", recogniser: "Recogniser | None", again: "Workers | None", *, as_json: bool
) -> "list[Doubt]":
    """The sentences that may be spoken wrong, each said; those that `again` has not spoken better."""
    with progress("check", "sentences checked", as_json=as_json) as on_checking:
        doubts = job.hear(recogniser, again, on_checking) if again else job.check(recogniser, on_checking)
    for doubt in doubts:
        warn(doubt.finding())
    return doubts


def _devices(context: typer.Context, given: BookOptions, voice: "VoiceCard") -> "tuple[SpeakDevice, ...]":
    """The devices of this computer that speak the book."""
    request = requested_device(ParameterSources(context), given.device, given.gpu, given.use_gpu)
    return selected_devices(voice, request, context.obj).devices


def _out(file: Path, given: BookOptions) -> Path:
    from voxmatrix.book.join.audiobook import manifest_path
    from voxmatrix.book.make import is_unfinished

    out = given.out or Path(file.with_suffix(".m4b").name)
    if given.preview:
        out = out.with_name(f"{out.stem}.preview{out.suffix}")
    check_not_folder(out)
    for path in (out, manifest_path(out)):
        if path.exists() and not given.force and not is_unfinished(out):
            raise UsageError(f"{path} already exists", "choose another --out, or add --force to overwrite it")
    return out


def _joining(given: BookOptions, narrator: str) -> "JoinSettings":
    from voxmatrix.book.join.finished import JoinSettings
    from voxmatrix.book.join.timeline import Pauses

    pauses = Pauses(sentence=given.sentence_pause, paragraph=given.paragraph_pause, chapter=given.chapter_pause)
    return JoinSettings(
        pauses=pauses,
        bitrate=given.bitrate or None,
        narrator=narrator,
        subtitles=given.subtitles,
        overlay=given.read_along,
    )


def _show(
    joined: "Joined", outcome: "JobOutcome", sentences: int, job_folder: Path, *, more: dict[str, Any] | None
) -> None:
    """Say what was made, as JSON with `more`, if that is given."""
    for finding in joined.findings:
        warn(finding)
    if more is not None:
        files = [str(path) for path in (*joined.sound, *joined.others)]
        summary = {"out": files, "manifest": str(joined.manifest), "sentences": sentences, "seconds": joined.seconds}
        print_json({**summary, "spoken": outcome.spoken, "kept": outcome.known, **more})
        return
    *chapters, last = joined.sound
    parts = f"; {pluralise(len(chapters), 'file')} in {chapters[0].parent}" if chapters else ""
    echo(f"{last}: {duration(joined.seconds)}, {pluralise(sentences, 'sentence')}{parts}")
    for path in joined.others:
        echo(str(path))
    echo(f"{joined.manifest}: all sentences, with their checksums")
    size = sum(path.stat().st_size for path in job_folder.rglob("*") if path.is_file()) / _MIB
    echo(
        f"{size:.1f} MiB of single sentences are kept: after a change, only what changed is spoken again\n"
        f"  → when you no longer need them, delete {job_folder}",
        err=True,
    )
