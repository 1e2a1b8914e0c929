"""`voxmatrix speak`: text in, speech out, sentence by sentence. Imports little: the first word comes soon."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from voxmatrix.cli import speak_batch
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.device_request import requested_device
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.cli.terminal.warn import warn
from voxmatrix.errors import UsageError
from voxmatrix.files import read_errors

if TYPE_CHECKING:
    from voxmatrix.plan.device_request import DeviceRequest
    from voxmatrix.speak.options import SpeakSettings
    from voxmatrix.speak.output import OnSpoken
    from voxmatrix.speak.synthesize import SpokenSentence

#: A text of fewer letters is spoken before a bar could be read.
_WORTH_A_BAR = 2000
_STANDARD = "-"


def command(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="[-]", help="`-` reads the text from standard input.")] = "",
    voice: Annotated[
        str, options.option("--voice", "NAME.onnx, a checkpoint or a run's folder; none: the voice that comes along.")
    ] = "",
    text: Annotated[str | None, typer.Option("--text", help="What to say.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="A text file (UTF-8) to read aloud.")] = None,
    batch: Annotated[
        Path | None, typer.Option("--batch", help="Many texts: a folder of .txt, or a .txt, .csv (id|text) or .jsonl.")
    ] = None,
    out: Annotated[
        str, typer.Option("--out", help="The new file, by its ending; `-` streams WAV; with --batch a folder.")
    ] = "speech.wav",
    format: Annotated[str, options.option("--format", "Ending of the files of a batch: wav, mp3, ogg …")] = "wav",
    parallel_voices: Annotated[
        str, options.option("--parallel-voices", "Texts of a batch spoken side by side; 0 or auto decides.")
    ] = "auto",
    speaker: options.Speaker = "",
    speed: Annotated[float, options.option("--speed", "2 speaks twice as fast.")] = 1.0,
    noise: Annotated[float | None, options.option("--noise", "How much the sound varies.")] = None,
    noise_w: Annotated[float | None, options.option("--noise-w", "How much the rhythm varies.")] = None,
    sentence_pause: Annotated[float, options.option("--sentence-pause", "Seconds between sentences.")] = 0.2,
    seed: Annotated[int | None, options.option("--seed", "The same text then sounds the same.")] = None,
    device: options.Device = "auto",
    gpu: options.GpuNumber = "",
    use_gpu: options.UseGpu = None,
    threads: Annotated[int, options.option("--threads", "CPU threads; 0 decides.", min=0)] = 0,
    level: Annotated[bool, typer.Option(help="Make sentences equally loud.")] = True,
    raw: Annotated[bool, typer.Option("--raw", help="16-bit samples without a header.")] = False,
    bitrate: Annotated[str, options.option("--bitrate", "Bits per second for lossy formats, e.g. 96k.")] = "",
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Speak a text into a file or a stream."""
    from voxmatrix.speak.options import SpeakSettings
    from voxmatrix.speak.voice_files import default_voice

    settings = SpeakSettings(
        speaker=speaker or None,
        speed=speed,
        noise=noise,
        noise_w=noise_w,
        pause_seconds=sentence_pause,
        levelled=level,
        seed=seed,
        threads=threads,
        force=force,
        raw=raw,
        bitrate=bitrate or None,
    )
    request, named = (
        requested_device(ParameterSources(context), device, gpu, use_gpu),
        Path(voice) if voice else default_voice(),
    )
    if batch is None:
        _speak_one(source, text, file, out, named, settings, request, as_json=as_json)
        return
    if source or text is not None or file is not None:
        raise UsageError("give one text, or --batch with many", "leave out --text, --file and -")
    speak_batch.run(
        ParameterSources(context), batch, out, format, named, settings,
        request=request, parallel_voices=parallel_voices, as_json=as_json,
    )  # fmt: skip


def _speak_one(
    source: str,
    text: str | None,
    file: Path | None,
    out: str,
    voice: Path,
    settings: "SpeakSettings",
    request: "DeviceRequest",
    *,
    as_json: bool,
) -> None:
    from voxmatrix.speak.device_selection import find_device
    from voxmatrix.speak.output import speak_to

    streamed = out == _STANDARD
    place: Path | BinaryIO = sys.stdout.buffer if streamed else Path(out)
    chosen = find_device(voice, request)
    for finding in chosen.findings:
        warn(finding)
    try:
        with _given_text(source, text, file) as (given, length), _watched(length, as_json) as on_spoken:
            speech = speak_to(place, given, voice, settings, on_spoken, device=chosen.device, warn=warn)
    except BrokenPipeError:
        # Who listens has had enough (`| head`): a good end. Nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
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
