"""`voxmatrix segment RECORDING … --out my-recordings`: recordings to clips with texts."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.terminal.messages import echo, print_json, print_problem
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.files import read_errors
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from voxmatrix.dataset.segment.output import Segment
    from voxmatrix.dataset.segment.run import SourceText
    from voxmatrix.dataset.segment.sources import Source
    from voxmatrix.progress import Activity, OnProgress

_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class SegmentOptions(options.ThreadOptions):
    """The options of this command."""

    text: Annotated[
        list[Path] | None,
        typer.Option("--text", metavar="FILE", help="What is read, for all or one for each: text, EPUB, subtitles …"),
    ] = None
    judge: Annotated[
        str, options.option("--judge", "MODEL", "Model of faster-whisper: base, small …, or a folder.")
    ] = "base"
    language: options.LanguageTag = "en-us"
    speakers: Annotated[str, options.option("--speakers", "N", "Tell speakers apart: how many there are, or auto.")] = (
        ""
    )
    min_snr: Annotated[
        float, options.option("--min-snr", "DB", "Leave out clips whose silence is not so far below the speech.", min=0)
    ] = 20.0


_Recordings = Annotated[
    list[Path], typer.Argument(metavar="LONG.wav...", help="Recordings or videos, or folders with some.")
]
_Out = Annotated[Path, options.option("--out", "DIR", "Folder of the data set, for prepare and train.")]


@expand
def command(recordings: _Recordings, out: _Out, given: SegmentOptions, as_json: options.AsJson = False) -> None:
    """Cut long recordings into clips with texts: a data set for `prepare` and `train`.

    Interrupt it at any time: the same command continues.
    """
    from voxmatrix.dataset.segment.corrections import summary

    found, segments = cut_with_progress(recordings, out, given, as_json=as_json)
    if as_json:
        print_json({"out": str(out), **summary(segments), "segments": [asdict(one) for one in segments]})
    else:
        show_clips(out, found, segments)
        echo(f"  → voxmatrix prepare {out}")


def cut_with_progress(
    recordings: list[Path], out: Path, given: SegmentOptions, *, as_json: bool
) -> tuple[list[Path], "list[Segment]"]:
    """Cut recordings, and those of folders, with progress. Returns which these are, and all of their parts.

    Raises what `segment` raises, and InterruptedRunError: Ctrl-C; what was heard is kept.
    """
    from voxmatrix.audio.checks import check_file
    from voxmatrix.dataset.segment.output import check_output
    from voxmatrix.dataset.segment.run import SegmentSettings, segment
    from voxmatrix.dataset.segment.sources import sources
    from voxmatrix.judge.activity import speech_probabilities
    from voxmatrix.judge.hearing import Recogniser
    from voxmatrix.judge.likeness import SpeakerEncoder

    speakers = _speakers(given.speakers)
    check_output(out)  # before anything is read, or a model is downloaded
    found = sources(recordings, out)
    recordings = [source.recording for source in found]
    settings = SegmentSettings(
        recordings=recordings,
        texts=_texts(given.text or [], found),
        language=given.language.replace("_", "-"),
        out=out,
        min_snr_db=given.min_snr,
        speakers=speakers,
    )
    for recording in recordings:
        with read_errors(recording):
            recording.stat()
        check_file(recording)
    likeness = None if speakers is None else SpeakerEncoder(given.threads).embedding
    recogniser = Recogniser(given.judge, settings.language, given.threads)

    def show(activity: "Activity", title: str, begun: int) -> "AbstractContextManager[OnProgress]":
        return progress(activity, title, as_json=as_json, begun=begun)

    try:
        segments = segment(settings, speech_probabilities, recogniser, likeness, show)
    except KeyboardInterrupt as error:
        raise InterruptedRunError(
            f"interrupted; what was heard is kept in {out}", "run the same command again to continue"
        ) from error
    return recordings, segments


def _speakers(value: str) -> int | None:
    if not value:
        return None
    if value == "auto":
        return 0
    if not value.isdecimal() or int(value) < 1:
        raise UsageError(f"--speakers is {value!r}", "give their number, e.g. 2, or auto")
    return int(value)


def _texts(files: list[Path], found: "list[Source]") -> "list[SourceText]":
    """The given texts; without any, those of the names of the recordings, if there are some."""
    if not files:
        own = [source.text for source in found]
        return [_text(text) if text else None for text in own] if any(own) else []
    if len(files) not in (1, len(found)):
        raise UsageError(
            f"{len(files)} texts were given for {pluralise(len(found), 'recording')}",
            "give one text for all, or one for each, in the same order",
        )
    texts = [_text(file) for file in files]
    if len(files) < len(found) and not isinstance(texts[0], str):
        raise UsageError(
            f"{files[0]} has the times of one recording, but {len(found)} are given",
            "give one recording, or labels for each",
        )
    return texts


def _text(file: Path) -> "SourceText":
    """What is read: a text without the numbers of a list, or labels with their times."""
    from voxmatrix.book.kinds import spoken_kinds
    from voxmatrix.book.read import read_book
    from voxmatrix.text.list_markers import without_list_markers
    from voxmatrix.transcripts.lines import decode
    from voxmatrix.transcripts.timed import read_timed

    labels = read_timed(file)
    if labels is not None:
        return labels
    if file.suffix.lower() == ".lab":
        with read_errors(file):
            return decode(file.read_bytes())
    paragraphs = [part for one in read_book(file, spoken_kinds([], [])).chapters for part in one.paragraphs]
    text = "\n\n".join(without_list_markers(paragraphs))
    if not text.strip():
        raise BadInputError(f"{file} contains no text", "name the text that is read in the recording")
    return text


def show_clips(out: Path, recordings: list[Path], segments: "list[Segment]") -> None:
    """Print which parts of the recordings are left out and why, and how much is ready."""
    from voxmatrix.dataset.segment.corrections import REASONS, summary

    found = summary(segments)
    for reason, seconds in sorted(found["left_out"].items(), key=lambda one: -one[1]):
        echo(f"left out: {_minutes(seconds)} of {REASONS[reason]}")
        alike = [one for one in segments if one.reason == reason]
        for one in sorted(alike, key=lambda one: -one.seconds)[: _NAMED if reason != "silence" else 0]:
            where = f"{recordings[one.recording].name}, {_clock(one.start)} to {_clock(one.end)}"
            echo(f"  {where}" + (f": {one.text[:60]}" if one.text else ""))
    doubtful = sum(bool(one.reason and one.file) for one in segments)
    if doubtful:
        problem = f"{pluralise(doubtful, 'clip')} may have other words than their texts ({out / 'doubtful.csv'})"
        print_problem(
            "left out", problem, "listen to them, correct their lines, and move these to metadata.csv", err=False
        )
    _show_faults(segments)
    ready = f"{pluralise(found['clips'], 'clip')} ready ({_minutes(found['seconds'])})"
    echo(f"{ready}; all parts: {out / 'segments.json'}")
    if found["speakers"]:
        echo(f"speakers: {', '.join(found['speakers'])}")


def _show_faults(segments: "list[Segment]") -> None:
    """Print what is wrong with the sound of used clips, some of each kind."""
    by_kind: dict[str, list[Segment]] = {}
    for one in segments:
        for fault in one.faults:
            by_kind.setdefault(fault["kind"], []).append(one)
    for kind, alike in by_kind.items():
        (first,) = (fault for fault in alike[0].faults if fault["kind"] == kind)
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        print_problem(f"used, but: {Path(alike[0].file).stem}{more}", first["problem"], first["remedy"], err=False)


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{seconds % 60:04.1f}"
