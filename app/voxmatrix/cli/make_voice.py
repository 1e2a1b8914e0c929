"""`voxmatrix voices make RECORDINGS --out DIR`: from recordings to a voice with its files, in one command.

Its steps are those of `segment`, `prepare`, `distil` and `export voice --for`, each of which is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.errors import Finding, MissingProgramError, UsageError

if TYPE_CHECKING:
    from voxmatrix.dataset.prepared import PreparedSet
    from voxmatrix.distil.result import Distilled
    from voxmatrix.distil.session import Show
    from voxmatrix.distil.student.recordings import RecordedTeacher
    from voxmatrix.distil.verdict import Verdict
    from voxmatrix.piper.export.package import Package

#: The model that hears words where faster-whisper is installed, and the word for none.
_JUDGE, _NOBODY = "base", "none"
#: Programs for which files are written; the others have the same.
_PROGRAMS = ("homeassistant", "sherpa")
_CLIPS = "clips"

_Recordings = Annotated[
    Path,
    typer.Argument(metavar="RECORDINGS", help="Folder or table of one person's recordings, or a long recording."),
]
_Out = Annotated[Path, options.option("--out", "DIR", "Folder of the voice: DIR/DIR.onnx and all other files.")]


@dataclass(frozen=True, kw_only=True)
class MakeOptions(options.ThreadOptions):
    """The options of this command."""

    language: options.LanguageTag = "en-us"
    text: Annotated[
        Path | None, options.option("--text", "FILE", "What is read, if no recording has a text of its own.")
    ] = None
    minutes: Annotated[
        float, options.automatic("--minutes", "N", "Learn for N minutes at most (0: until it is good).", min=0)
    ] = 0
    judge: Annotated[
        str,
        options.automatic(
            "--judge", "MODEL", "Who hears words: base, small … or a folder; none (auto: base if it is installed)."
        ),
    ] = "auto"
    force: options.ForceAmount = False


def folders(parameters: Mapping[str, Any]) -> list[Path]:
    """The folders that the command writes to."""
    return [Path(parameters["out"])]


@expand
def command(recordings: _Recordings, out: _Out, given: MakeOptions, as_json: options.AsJson = False) -> None:
    """Make a voice of somebody's recordings, until it is good: check, cut, learn, hear, and write files for programs.

    Interrupt it at any time: the same command continues.
    """
    # Of `voices`, whose other commands need none of these.
    from voxmatrix.cli.distil import show_progress
    from voxmatrix.cli.prepare import prepare_settings, prepare_with_progress, show_recordings

    if out.is_file():
        raise UsageError(f"{out} is a file", "choose a folder (`out`)")
    voice = out / f"{out.absolute().name}.onnx"
    judge = _judge(given.judge)
    data = _clips(recordings, out, given, judge, as_json=as_json)
    chosen = options.RecordingOptions(language=given.language, ears=True)
    settings = prepare_settings(chosen, 0)
    prepared = prepare_with_progress(data, settings, as_json=as_json, force=given.force, judge=judge)
    if not as_json:
        show_recordings(prepared)
    show = partial(show_progress, as_json=as_json)
    distilled = _learned(recordings, prepared, voice, given, show, as_json=as_json)
    verdict = _heard(_teacher(recordings, prepared), voice, judge, show)
    packages = _packages(voice)
    if as_json:
        print_json(
            {
                "voice": str(voice),
                "left_out": len(prepared.left_out),
                **(distilled.to_json() if distilled else {}),
                **verdict.to_json(),
                "packages": [str(package.folder) for package in packages],
            }
        )
        return
    _show(voice, distilled, verdict, packages)


def _judge(value: str) -> str:
    """The model that hears words; "": nobody does."""
    if value == "auto":
        return _JUDGE if find_spec("faster_whisper") else ""
    return "" if value == _NOBODY else value


def _clips(recordings: Path, out: Path, given: MakeOptions, judge: str, *, as_json: bool) -> Path:
    """The recordings, if they have texts; else they are cut into clips, unless an earlier command has done so."""
    from voxmatrix.cli.segment import SegmentOptions, cut_with_progress, show_clips
    from voxmatrix.dataset.find import find
    from voxmatrix.dataset.layouts.without_texts import UncutError
    from voxmatrix.dataset.segment.output import REPORT
    from voxmatrix.transcripts.lines import SUFFIXES, suffix_of

    clips, text = out / _CLIPS, given.text
    if (clips / REPORT).exists():
        return clips  # whose texts may have been corrected since
    if recordings.is_dir() or suffix_of(recordings.name) not in SUFFIXES:
        try:
            find(recordings)
        except UncutError as error:
            text = text or error.text
        else:
            if text:
                raise UsageError("--text is for recordings without texts, and these have some", "omit --text")
            return recordings
    echo(f"cutting {recordings} into clips with texts: {clips}", err=True)
    cutting = SegmentOptions(
        text=[text] if text else None, judge=judge or _JUDGE, language=given.language, threads=given.threads
    )
    found, segments = cut_with_progress([recordings], clips, cutting, as_json=as_json)
    if not as_json:
        show_clips(clips, found, segments)
    return clips


def _teacher(recordings: Path, prepared: "PreparedSet") -> "RecordedTeacher":
    from voxmatrix.distil.student.recordings import RecordedTeacher

    return RecordedTeacher(recordings.resolve().stem, prepared)


def _learned(
    recordings: Path, prepared: "PreparedSet", voice: Path, given: MakeOptions, show: "Show", *, as_json: bool
) -> "Distilled | None":
    """Learn the voice, or go on with that; None if an earlier command has finished it."""
    from voxmatrix.cli.distil import DistilOptions, learn, write_page

    if voice.exists() and not voice.with_suffix(".distil").exists():
        echo(f"{voice} was learned by an earlier command", err=True)
        return None
    teacher = _teacher(recordings, prepared)
    learning = DistilOptions(minutes=given.minutes, threads=given.threads)
    distilled = learn(teacher, teacher.texts, voice, learning, show, as_json=as_json)
    if finding := distilled.warning():
        warn(finding)
    write_page(distilled, voice.with_name("compare.html"))
    return distilled


def _heard(teacher: "RecordedTeacher", voice: Path, judge: str, show: "Show") -> "Verdict":
    """What models hear in sentences that were not learned from."""
    from voxmatrix.distil.student.compare import spoken_by_both
    from voxmatrix.distil.student.corpus import RATE_HZ
    from voxmatrix.distil.verdict import heard
    from voxmatrix.judge.hearing import Recogniser
    from voxmatrix.piper.config import VoiceConfig
    from voxmatrix.piper.files import config_path

    config = VoiceConfig.read(config_path(voice))
    pairs, _ = spoken_by_both(teacher.compared(), voice, config, show)
    recogniser = Recogniser(judge, teacher.language) if judge else None
    with show("recognise", "listening to the voice", str, 0) as progress:
        return heard(pairs, RATE_HZ, teacher.language, recogniser, progress)


def _packages(voice: Path) -> "list[Package]":
    """The folders for other programs, written again; one whose data is not installed is left out with a warning."""
    from voxmatrix.piper.export.package import write_package

    made = []
    for program in _PROGRAMS:
        try:
            made.append(write_package(voice, program, voice.parent / program, force=True))
        except MissingProgramError as error:
            warn(Finding(problem=error.problem, remedy=error.remedy, severity="warning"))
    return made


def _show(voice: Path, distilled: "Distilled | None", verdict: "Verdict", packages: "list[Package]") -> None:
    from voxmatrix.cli.distil import show_result

    for line in verdict.lines():
        echo(line)
    for package in packages:
        echo(f"{package.folder}: {', '.join(one.name for one in package.files)}\n  → {package.install}")
    if distilled is not None:
        show_result(distilled, voice)
    else:
        echo(f'{voice}\n  → voxmatrix speak --voice {voice} --text "Hello" --out hello.wav')
