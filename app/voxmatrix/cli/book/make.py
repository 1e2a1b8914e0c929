"""`voxmatrix book`: a book in, an audiobook out."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.book.casting import cast_table, nobody_named, with_speakers
from voxmatrix.cli.book.checking import NO_JUDGE, check_sentences, recogniser_for
from voxmatrix.cli.book.contents import (
    BookFile,
    Chapters,
    Exclude,
    Include,
    Notes,
    duration,
    left_out_line,
    read_chapters,
    selected,
    split_language,
    wanted_kinds,
)
from voxmatrix.cli.book.metadata import MetadataOptions, with_metadata
from voxmatrix.cli.book.shop import ShopOptions, shop_findings, shop_out, wanted_shop, with_shop_credits
from voxmatrix.cli.book.speaking import speaking_progress
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.named_voice import voice_for_language
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.parameters.synthesis import VoiceOptions, selected_devices, speaking_style
from voxmatrix.cli.parameters.workers import cluster_workers, own_processes
from voxmatrix.cli.terminal.messages import echo, print_json, warn, with_flags
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.config import home
from voxmatrix.errors import UsageError
from voxmatrix.files import check_not_folder
from voxmatrix.plan.overrides import override_number
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.book.join.audiobook import Joined
    from voxmatrix.book.join.finished import JoinSettings
    from voxmatrix.book.make import BookJob
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.models.device import SpeakDevice
    from voxmatrix.tables.shops import Shop
    from voxmatrix.work.executor import Workers
    from voxmatrix.work.job import JobOutcome

#: Seconds of speech that --preview makes.
_PREVIEW_SECONDS = 60.0
_MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class BookOptions(
    MetadataOptions,
    ShopOptions,
    VoiceOptions,
    options.DialogueOptions,
    options.ThreadOptions,
    options.DeviceOptions,
    options.ClusterOptions,
):
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
    subtitle_speakers: Annotated[
        bool,
        typer.Option("--subtitle-speakers", help="Name who speaks in --subtitles.", rich_help_panel="Output"),
    ] = False
    read_along: Annotated[
        bool,
        typer.Option(
            "--read-along", help="Write BOOK.epub, whose text is marked as it is spoken.", rich_help_panel="Output"
        ),
    ] = False
    read_along_speakers: Annotated[
        bool, typer.Option("--read-along-speakers", help="Name who speaks in --read-along.", rich_help_panel="Output")
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
    from voxmatrix.book.dialogue import speakers, with_dialogue, with_lines_of
    from voxmatrix.book.make import BookRequest, open_book_job
    from voxmatrix.book.selection import beginning
    from voxmatrix.text.hints import hints
    from voxmatrix.voices.cast import unused_names, with_quotation_voices, with_voices_of

    shop = wanted_shop(given, given.bitrate)
    out = _out(file, given, shop)
    table = cast_table(given.cast)
    kinds = wanted_kinds(given.include, given.exclude, notes=given.notes)
    book = read_chapters(file, "", kinds, given.titles)  # all of them: some alone do not tell who speaks
    voice = voice_for_language(
        given.voice or (table.narrator if table else ""), book.language, "the book", as_json=as_json
    )
    style = with_quotation_voices(speaking_style(given, voice), given.dialogue_voice)
    book, style = with_speakers(book, voice.language, style, given.cast, table)
    book = with_metadata(selected(book, given.chapters), given)
    split_as = split_language(book, voice.language)
    book = with_shop_credits(with_lines_of(book, style.cast), split_as, given)
    book = with_dialogue(book, split_as) if given.dialogue_voice else book
    style = replace(style, lexicon=book.lexicon.under(style.lexicon))
    text = "\n".join(part for chapter in book.chapters for part in chapter.paragraphs)
    unused = () if table else unused_names(style, text, speakers(book))  # a table has all people of the book
    unnamed = nobody_named(book, given.subtitle_speakers or given.read_along_speakers)
    style = with_voices_of(style, text, speakers=speakers(book))
    for finding in (*book.findings, *hints(text), *unused, *unnamed):
        warn(finding)
    if parts := left_out_line(book):
        echo(with_flags(parts), err=True)
    devices = () if given.cluster else _devices(context, given, voice)
    request = BookRequest(
        source=file,
        book=beginning(book, split_as, _PREVIEW_SECONDS) if given.preview else book,
        language=split_as,
        voice=voice.on(devices[0]) if devices else voice,
        out=out,
        style=style,
        joining=_joining(given, book.about.narrator or voice.id, shop),
    )
    recogniser = recogniser_for(given.judge, voice, split_as)
    forced = override_number(given.parallel_voices, *ParameterSources(context).of("parallel_voices"))
    workers = (
        own_processes(voice, style, devices, forced, threads=given.threads)
        if devices
        else cluster_workers(voice, given)
    )
    again = workers if voice.capabilities.autoregressive and given.judge != NO_JUDGE else None
    full = bool(given.check or recogniser or again)
    with open_book_job(request) as job:
        outcome = _spoken(job, workers, len(request.book.chapters), as_json=as_json)
        checked = full or given.judge != NO_JUDGE
        doubts = check_sentences(job, recogniser, again, full=full, as_json=as_json) if checked else []
        with progress("join", "joining", as_json=as_json) as on_joining:
            joined = job.join(on_joining)
    more: dict[str, Any] = {"left_out": {part.kind: part.count for part in book.kinds if not part.spoken}}
    more |= {"shop": joined.shop.to_json()} if joined.shop else {}
    more |= {"doubtful": [asdict(doubt) for doubt in doubts]} if full or doubts else {}
    _show(joined, outcome, len(job.units), file, more=more if as_json else None)


def _spoken(job: "BookJob", workers: "Workers", chapters: int, *, as_json: bool) -> "JobOutcome":
    """Speak what is not spoken yet, and say what was found in the job before and meanwhile."""
    for finding in job.findings:
        warn(finding)
    with speaking_progress(as_json, chapters) as on_progress:
        outcome = job.speak(workers, on_progress)
    for finding in outcome.findings:
        if finding not in job.findings:
            warn(finding)
    return outcome


def _devices(context: typer.Context, given: BookOptions, voice: "VoiceCard") -> "tuple[SpeakDevice, ...]":
    """The devices of this computer that speak the book."""
    request = requested_device(ParameterSources(context), given.device, given.gpu, given.use_gpu)
    return selected_devices(voice, request, context.obj).devices


def _out(file: Path, given: BookOptions, shop: "Shop | None") -> Path:
    from voxmatrix.book.join.audiobook import manifest_path, overlay_path
    from voxmatrix.book.make import is_unfinished

    out = shop_out(given.out, file, shop) if shop else given.out or Path(file.with_suffix(".m4b").name)
    if given.preview:
        out = out.with_name(f"{out.stem}.preview{out.suffix}")
    check_not_folder(out)
    more = [overlay_path(out, file)] if given.read_along or given.read_along_speakers else []
    if given.subtitles or given.subtitle_speakers:
        more += [out.with_suffix(".srt"), out.with_suffix(".vtt")]
    for path in (out, manifest_path(out), *more):
        if path.exists() and not given.force and not is_unfinished(file, out):
            raise UsageError(f"{path} already exists", "choose another --out, or add --force to overwrite it")
    return out


def _joining(given: BookOptions, narrator: str, shop: "Shop | None") -> "JoinSettings":
    from voxmatrix.book.join.finished import JoinSettings
    from voxmatrix.book.join.timeline import Pauses

    pauses = Pauses(sentence=given.sentence_pause, paragraph=given.paragraph_pause, chapter=given.chapter_pause)
    return JoinSettings(
        pauses=pauses,
        bitrate=given.bitrate or None,
        narrator=narrator,
        subtitles=given.subtitles or given.subtitle_speakers,
        subtitle_speakers=given.subtitle_speakers,
        overlay=given.read_along or given.read_along_speakers,
        overlay_speakers=given.read_along_speakers,
        shop=shop,
    )


def _show(
    joined: "Joined", outcome: "JobOutcome", sentences: int, source: Path, *, more: dict[str, Any] | None
) -> None:
    """Say what was made, as JSON with `more`, if that is given."""
    for finding in (*joined.findings, *(shop_findings(joined.shop) if joined.shop else ())):
        warn(finding)
    if more is not None:
        files = [str(path) for path in (*joined.sound, *joined.others)]
        summary = {"out": files, "manifest": str(joined.manifest), "sentences": sentences, "seconds": joined.seconds}
        print_json({**summary, "spoken": outcome.spoken, "kept": outcome.known, **more})
        return
    *chapters, last = joined.sound
    parts = f"; {pluralise(len(chapters), 'file')} in {chapters[0].parent}" if chapters else ""
    echo(f"{last}: {duration(joined.seconds)}, {pluralise(sentences, 'sentence')}{parts}")
    echo("\n".join([*map(str, joined.others), f"{joined.manifest}: all sentences, with their checksums"]))
    from voxmatrix.book.shelf import files_in, job_folder

    size = sum(status.st_size for status in files_in(job_folder(source))) / _MIB
    echo(
        f"{size:.1f} MiB of single sentences are kept: after a change, only what changed is spoken again\n"
        f"  → when you no longer need them: voxmatrix book shelf --remove {shlex.quote(str(source))}",
        err=True,
    )
