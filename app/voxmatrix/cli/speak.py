"""`voxmatrix speak`: text in, speech out, sentence by sentence. Imports little: the first word comes soon."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from voxmatrix.cli import speak_batch
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.device_request import requested_device
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.cli.terminal.warn import warn
from voxmatrix.errors import UsageError
from voxmatrix.files import read_errors
from voxmatrix.plan.overrides import override_number

if TYPE_CHECKING:
    from voxmatrix.doctor.preflight import Preflight
    from voxmatrix.plan.device_request import DeviceRequest
    from voxmatrix.speak.device import DeviceSelection, SpeakDevice
    from voxmatrix.speak.options import SpeakSettings
    from voxmatrix.speak.output import OnSpoken
    from voxmatrix.speak.synthesize import SpokenSentence

#: A text of fewer letters is spoken before a bar could be read.
_WORTH_A_BAR = 2000
_STANDARD = "-"


@dataclass(frozen=True, kw_only=True)
class SpeakOptions(options.DeviceOptions):
    """The options of this command."""

    voice: Annotated[
        str, options.option("--voice", "NAME.onnx, a checkpoint or a run's folder; none: the voice that comes along.")
    ] = ""
    text: Annotated[str | None, typer.Option("--text", help="What to say.")] = None
    file: Annotated[Path | None, typer.Option("--file", help="A text file (UTF-8) to read aloud.")] = None
    batch: Annotated[
        Path | None, typer.Option("--batch", help="Many texts: a folder of .txt, or a .txt, .csv (id|text) or .jsonl.")
    ] = None
    out: Annotated[
        str, typer.Option("--out", help="The new file, by its ending; `-` streams WAV; with --batch a folder.")
    ] = "speech.wav"
    format: Annotated[str, options.option("--format", "Ending of the files of a batch: wav, mp3, ogg …")] = "wav"
    parallel_voices: Annotated[
        str, options.option("--parallel-voices", "Texts of a batch spoken side by side; 0 or auto decides.")
    ] = "auto"
    speaker: options.Speaker = ""
    speed: Annotated[float, options.option("--speed", "2 speaks twice as fast.")] = 1.0
    noise: Annotated[float | None, options.option("--noise", "How much the sound varies.")] = None
    noise_w: Annotated[float | None, options.option("--noise-w", "How much the rhythm varies.")] = None
    sentence_pause: Annotated[float, options.option("--sentence-pause", "Seconds between sentences.")] = 0.2
    seed: Annotated[int | None, options.option("--seed", "The same text then sounds the same.")] = None
    threads: Annotated[int, options.option("--threads", "CPU threads; 0 decides.", min=0)] = 0
    level: Annotated[bool, typer.Option(help="Make sentences equally loud.")] = True
    raw: Annotated[bool, typer.Option("--raw", help="16-bit samples without a header.")] = False
    bitrate: Annotated[str, options.option("--bitrate", "Bits per second for lossy formats, e.g. 96k.")] = ""
    force: options.Force = False


@expand
def command(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="[-]", help="`-` reads the text from standard input.")] = "",
    *,
    given: SpeakOptions,
    as_json: options.AsJson = False,
) -> None:
    """Speak a text into a file or a stream."""
    from voxmatrix.speak.voice_files import default_voice

    sources = ParameterSources(context)
    settings = _settings(given)
    request = requested_device(sources, given.device, given.gpu, given.use_gpu)
    voice = Path(given.voice) if given.voice else default_voice()
    if given.batch is not None:
        if source or given.text is not None or given.file is not None:
            raise UsageError("give one text, or --batch with many", "leave out --text, --file and -")
        if not sources.is_set("out") or given.out == _STANDARD:
            raise UsageError("a batch needs a folder for its files", "name one with --out, e.g. --out speech")
        forced = override_number(given.parallel_voices, *sources.of("parallel_voices"))
        selection = _selection(voice, request, context.obj)
        speak_batch.run(
            given.batch,
            given.out,
            given.format,
            voice,
            settings,
            selection.devices,
            parallel_voices=forced.value if forced else None,
            as_json=as_json,
        )
        return
    with _given_text(source, given.text, given.file) as (text, length):
        _speak(text, length, given.out, voice, settings, _selection(voice, request, context.obj).best, as_json=as_json)


def _settings(given: SpeakOptions) -> "SpeakSettings":
    from voxmatrix.speak.options import SpeakSettings

    return SpeakSettings(
        speaker=given.speaker or None,
        speed=given.speed,
        noise=given.noise,
        noise_w=given.noise_w,
        pause_seconds=given.sentence_pause,
        levelled=given.level,
        seed=given.seed,
        threads=given.threads,
        force=given.force,
        raw=given.raw,
        bitrate=given.bitrate or None,
    )


def _selection(voice: Path, request: "DeviceRequest", preflight: "Preflight | None") -> "DeviceSelection":
    from voxmatrix.speak.device_selection import select_devices

    selection = select_devices(voice, request, preflight)
    for finding in selection.findings:
        warn(finding)
    return selection


def _speak(
    text: "str | Iterable[str]",
    length: int,
    out: str,
    voice: Path,
    settings: "SpeakSettings",
    device: "SpeakDevice",
    *,
    as_json: bool,
) -> None:
    """`length` is that of the text in letters, 0 when nobody knows yet."""
    from voxmatrix.speak.output import speak_to

    streamed = out == _STANDARD
    place: Path | BinaryIO = sys.stdout.buffer if streamed else Path(out)
    try:
        with _watched(length, as_json) as on_spoken:
            speech = speak_to(place, text, voice, settings, on_spoken, device=device, warn=warn)
    except BrokenPipeError:
        # The listener has had enough (`| head`): a good end. Nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    for finding in speech.warnings:
        warn(finding)
    for finding in speech.findings:
        typer.echo(f"left out: {finding.problem}\n  → {finding.remedy}", err=True)
    if streamed:
        return
    if as_json:
        said = {"out": out, "sentences": speech.sentences, "seconds": speech.seconds, "rate_hz": speech.rate_hz}
        typer.echo(json.dumps({**said, "left_out": [finding.problem for finding in speech.findings]}))
    else:
        typer.echo(f"{out}: {speech.seconds:.1f} s of speech, {speech.sentences} sentences")


@contextmanager
def _given_text(source: str, text: str | None, file: Path | None) -> Iterator[tuple[str | Iterable[str], int]]:
    """The text and its length in letters, 0 when nobody knows yet."""
    if source not in ("", _STANDARD):
        raise UsageError(f"what is {source!r}?", f'did you mean --text "{source}", --file {source}, or - ?')
    given = [bool(source), text is not None, file is not None]
    if sum(given) != 1:
        raise UsageError("give one text", 'type --text "Hello", --file book.txt, or - for standard input')
    if text is not None:
        yield text, len(text)
        return
    from voxmatrix.speak.text_chunks import read_text

    if file is None:
        yield read_text(sys.stdin.buffer), 0
        return
    with read_errors(file), file.open("rb") as opened:
        yield read_text(opened), file.stat().st_size


@contextmanager
def _watched(length: int, quiet: bool) -> Iterator["OnSpoken | None"]:
    if quiet or length < _WORTH_A_BAR:
        yield None
        return
    done = 0
    with progress("letters spoken") as on_progress:

        def spoken(part: "SpokenSentence") -> None:
            nonlocal done
            done = min(length, done + len(part.sentence.text))
            on_progress(done, length)

        yield spoken
        on_progress(length, length)
