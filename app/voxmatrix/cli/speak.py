"""`voxmatrix speak`: text in, speech out, sentence by sentence. Imports little, so that speech starts soon."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.named_voice import beginning, voice_for_language
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.parameters.speak_flags import STANDARD, check_one_text, check_sound
from voxmatrix.cli.parameters.speak_options import SpeakOptions, SpeakTask
from voxmatrix.cli.parameters.synthesis import selected_devices, speaking_style
from voxmatrix.cli.speak_batch import speak_batch
from voxmatrix.cli.terminal.messages import echo, print_json, print_problem, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import UnreachableError, UsageError
from voxmatrix.files import check_not_folder, read_errors, storage_errors
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.models.device import DeviceSelection, SpeakDevice
    from voxmatrix.models.style import Output, Runtime, Style
    from voxmatrix.speak.captions import Caption
    from voxmatrix.speak.output import OnSpoken, Speech
    from voxmatrix.speak.partial import PartialSpeech
    from voxmatrix.speak.synthesize import SpokenSentence

#: Shorter texts, in characters, are spoken before a progress bar could be read.
_MIN_FOR_PROGRESS = 2000
#: Longer texts, of a dozen sentences, are worth the time of getting a voice ready for many.
_LONG_CHARACTERS = 1500


def folders(parameters: Mapping[str, Any]) -> list[Path]:
    """The folder that the command writes to; none for a stream, or for what is only heard."""
    out = parameters["out"]
    if out == STANDARD or (parameters["play"] and out == SpeakOptions.out):
        return []
    return [Path(out) if parameters["batch"] is not None else Path(out).parent]


@expand
def command(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="-", help="Read the text from standard input.")] = "",
    *,
    given: SpeakOptions,
    as_json: options.AsJson = False,
) -> None:
    """Speak a text, or many, into files or to standard output."""
    from voxmatrix.models.style import Output
    from voxmatrix.text.language_guess import likely_language
    from voxmatrix.voices.cast import with_quotation_voices

    sources = ParameterSources(context)
    if given.play:
        from voxmatrix.cli.speak_play import check_play

        is_written = sources.is_set("out")
        check_play(out=given.out, is_written=is_written, raw=given.raw, is_batch=given.batch is not None)
    voice = voice_for_language(given.voice, likely_language(beginning(given.text, given.file)), as_json=as_json)
    style = with_quotation_voices(speaking_style(given, voice), given.dialogue_voice, given.emphasis_voice)
    task = SpeakTask(
        options=given,
        sources=sources,
        voice=voice,
        style=style,
        output=Output(force=given.force, raw=given.raw, bitrate=given.bitrate or None),
        extension=given.format.lower().removeprefix("."),
        as_json=as_json,
    )
    request = requested_device(sources, given.device, given.gpu, given.use_gpu)
    if given.batch is not None:
        speak_batch(task, source, given.batch, lambda: selected_devices(voice, request, context.obj))
    else:
        _speak_one(task, source, lambda brief: selected_devices(voice, request, context.obj, brief=brief))


def _speak_one(task: SpeakTask, source: str, select: "Callable[[bool], DeviceSelection]") -> None:
    given, sources = task.options, task.sources
    check_one_text(
        sources,
        out=given.out,
        extension=task.extension,
        parallel_voices=given.parallel_voices,
        as_json=task.as_json,
    )
    check_sound(sources, "wav" if given.out == STANDARD else Path(given.out).suffix.lower().removeprefix("."))
    if given.captions:
        from voxmatrix.speak.captions import check_captions

        check_captions(given.captions, force=given.force)
    with _given_text(source, given.text, given.file) as (text, known), _destination(task) as out:
        speech = _speak_into(out, text, known, task, select)
        if speech is not None and _is_kept(task):
            _show(speech, given.out, task.voice, as_json=task.as_json)  # before it is heard
    if speech is not None and not _is_kept(task):
        _show(speech, "", task.voice, as_json=task.as_json)


def _is_kept(task: SpeakTask) -> bool:
    """Whether there is a file, or a stream, when the speech has been heard."""
    return not task.options.play or task.sources.is_set("out")


def _destination(task: SpeakTask) -> "AbstractContextManager[str | BinaryIO]":
    """A file, `-`, or the input of a player."""
    if not task.options.play:
        return nullcontext(task.options.out)
    from voxmatrix.cli.speak_play import played

    return played(task.options.out if _is_kept(task) else "")


def _speak_into(
    out: str | BinaryIO,
    text: str | Iterable[str],
    known: str | None,
    task: SpeakTask,
    select: "Callable[[bool], DeviceSelection]",
) -> "Speech | None":
    """Speak a text, which is `known` as a whole unless it comes from a pipe, and write its captions."""
    from voxmatrix.models.style import Runtime
    from voxmatrix.voices.cast import unused_names, with_voices_of

    given = task.options
    if known:
        for finding in unused_names(task.style, known):
            warn(finding)
        task = replace(task, style=with_voices_of(task.style, known, task.voice))
    length = len(known or "")
    device = select(length < _LONG_CHARACTERS).best
    captions: list[Caption] | None = [] if given.captions else None
    with _progress(length, task.as_json) as on_spoken:
        speech = _speak(
            text,
            out,
            task.voice,
            task.style,
            output=task.output,
            runtime=Runtime(threads=given.threads, reproducible=task.style.seed is not None),
            device=device,
            partial=_partial(given, known, task, task.voice.on(device))
            if _is_kept(task) and captions is None
            else None,
            on_spoken=on_spoken,
            long=length >= _LONG_CHARACTERS and isinstance(out, str) and out != STANDARD,  # a stream should begin soon
            captions=captions,
        )
    if speech is not None and given.captions and captions is not None:
        from voxmatrix.speak.captions import write_captions

        write_captions(given.captions, captions)
    return speech


def _partial(given: SpeakOptions, text: str | None, task: SpeakTask, voice: "VoiceCard") -> "PartialSpeech | None":
    """The speech that an interrupted command with the same text, voice and style has left; None for a stream."""
    if given.out == STANDARD:
        return None
    from hashlib import sha256  # which loads OpenSSL

    from voxmatrix.speak.partial import PartialSpeech, speech_key

    check_not_folder(Path(given.out))
    digest = text and sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    partial = PartialSpeech(Path(given.out), digest and speech_key(digest, voice, task.style, task.output))
    if partial.start.sentences:
        echo(f"continuing {partial.path}: {partial.start} already spoken", err=True)
    if warning := partial.warning():
        warn(warning)
    return partial


def _speak(
    text: "str | Iterable[str]",
    out: str | BinaryIO,
    voice: "VoiceCard",
    style: "Style",
    *,
    output: "Output",
    runtime: "Runtime",
    device: "SpeakDevice",
    partial: "PartialSpeech | None",
    on_spoken: "OnSpoken | None",
    long: bool,
    captions: "list[Caption] | None",
) -> "Speech | None":
    """Speak one text; None if the reader of the stream, or the player, has left."""
    from voxmatrix.speak.output import speak_to

    if out == STANDARD and sys.stdout.isatty():
        raise UsageError(
            "--out - writes sound to standard output, which is a terminal", "add | aplay, or choose --out speech.wav"
        )
    place: Path | BinaryIO = sys.stdout.buffer if out == STANDARD else Path(out) if isinstance(out, str) else out
    try:
        with storage_errors(
            place if isinstance(place, Path) else Path("standard output" if out == STANDARD else "player")
        ):
            return speak_to(
                place,
                text,
                voice,
                style,
                output=output,
                runtime=runtime,
                on_spoken=on_spoken,
                device=device,
                warn=warn,
                partial=partial,
                long=long,
                captions=captions,
            )
    except (BrokenPipeError, UnreachableError) as error:
        if out == STANDARD:  # Python must not flush into it at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has closed the pipe (`| head`), which is not an error
            return None
        raise


def _show(speech: "Speech", out: str, voice: "VoiceCard", *, as_json: bool) -> None:
    for finding in speech.warnings:
        warn(finding)
    for finding in speech.findings:
        print_problem("left out", finding.problem, finding.remedy)
    if out == STANDARD:
        return
    if as_json:
        summary = {
            "out": out or None,
            "voice": voice.id,
            "language": voice.language,
            "sentences": speech.sentences,
            "seconds": speech.seconds,
            "rate_hz": speech.rate_hz,
        }
        told = {"left_out": speech.findings, "warnings": speech.warnings}
        print_json({**summary, **{key: [one.problem for one in found] for key, found in told.items()}})
    else:
        what = pluralise(speech.sentences, "sentence")
        echo(f"{out or 'spoken'}: {speech.seconds:.1f} s of speech, {what}, by {voice.id}")


@contextmanager
def _given_text(source: str, text: str | None, file: Path | None) -> Iterator[tuple[str | Iterable[str], str | None]]:
    """The text as it is spoken and, unless it comes from a pipe, as a whole. It is read once."""
    if source not in ("", STANDARD):
        raise UsageError(f"unexpected argument {source!r}", f'did you mean --text "{source}" or --file {source}?')
    given = [bool(source), text is not None, file is not None]
    if sum(given) != 1:
        raise UsageError(
            f"{'no text' if not any(given) else 'more than one text'} was given",
            'set --text "Hello", --file book.txt, or - for standard input',
        )
    if text is not None:
        yield text, text
        return
    from voxmatrix.speak.text_chunks import read_text

    if file is None:
        yield read_text(sys.stdin.buffer), None
        return
    with read_errors(file), file.open("rb") as opened:
        if file.is_file():
            text = "".join(read_text(opened))
            yield text, text
        else:
            yield read_text(opened), None


@contextmanager
def _progress(length: int, as_json: bool) -> Iterator["OnSpoken | None"]:
    if length < _MIN_FOR_PROGRESS:
        yield None
        return
    done = 0
    with progress("speak", "characters spoken", as_json=as_json) as on_progress:

        def spoken(part: "SpokenSentence") -> None:
            nonlocal done
            done = min(length, done + len(part.text.source))  # a lexicon may have made it longer
            on_progress(done, length)

        yield spoken
        on_progress(length, length)
