"""Speak a text into a file or a stream."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial as partial_of
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from voxmatrix.errors import Finding, UsageError
from voxmatrix.files import check_not_folder, link_target, replacing, storage_errors
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Output, Runtime, Style
from voxmatrix.speak.improbable import findings
from voxmatrix.speak.narration import Narration
from voxmatrix.speak.partial import PartialSpeech, SpeechPosition
from voxmatrix.speak.synthesize import SpokenSentence
from voxmatrix.speak.wav import PLAIN, WaveFile
from voxmatrix.voices.cast import CastVoice
from voxmatrix.voices.resolve import open_voice

if TYPE_CHECKING:
    from voxmatrix.speak.captions import Caption

_PLAIN_OUTPUT = Output()
#: Where speech is that is to be encoded, next to its file.
_FOLDER, _ENCODED_FROM = ".voxmatrix-", "speech.wav"
OnSpoken = Callable[[SpokenSentence], None]


@dataclass(frozen=True, kw_only=True)
class Speech:
    """What was spoken, and what was left out."""

    sentences: int
    seconds: float
    rate_hz: int
    findings: tuple[Finding, ...]
    warnings: tuple[Finding, ...] = ()  # of the whole text
    captions: "tuple[Caption, ...]" = ()  # if they were wanted
    computed: str = ""  # how, where that changes what is heard: cuda bfloat16 sdpa


def speak_to(
    out: Path | BinaryIO,
    text: str | Iterable[str],
    voice: VoiceCard,
    style: Style,
    *,
    output: Output = _PLAIN_OUTPUT,
    runtime: Runtime | None = None,
    on_spoken: OnSpoken | None = None,
    device: SpeakDevice = CPU,
    warn: Warn = python_warning,
    partial: PartialSpeech | None = None,
    long: bool = False,
    captions: "list[Caption] | None" = None,
) -> Speech:
    """Speak a text into a file, written completely or not at all, or into a stream, sentence by sentence.

    Sentences of a text that arrives in chunks are spoken as soon as they are complete. `warn` is called if the device
    fails and the CPU takes over. `partial` continues the speech of an interrupted command, and keeps this one's. A
    `long` text is worth the time that a voice takes to get ready for many sentences. A caption for each sentence is
    added to `captions`; those of speech that was continued are missing.

    Raises:
        InterruptedRunError: Ctrl-C or SIGTERM; `partial` keeps what is spoken.
        UsageError: `out` exists and `output.force` is not set, its extension is unknown, or the bit rate is invalid;
            or the voice cannot speak in this style.
        BadInputError: the voice has no such speaker, or there is nothing to speak.
        DamagedFileError: a file of the voice is corrupt.
        NoDeviceError: the required device fails.
        MemoryExhaustedError: a sentence does not fit into memory, not even in segments.
        MissingProgramError: espeak-ng, ffmpeg or the package of the required device is missing.
        UnreachableError: `out` cannot be written.
        BrokenPipeError: the reader has closed the stream.
    """
    if isinstance(out, Path):
        _check_free(out, output)
    try:
        opening = partial_of(open_voice, device=device, runtime=runtime, warn=warn)
        with closing(CastVoice(opening(voice), opening)) as opened:
            if long:
                opened.load()
            return speak_opened(
                out, text, opened, style, output=output, on_spoken=on_spoken, partial=partial, captions=captions
            )
    except KeyboardInterrupt as error:
        if partial is None:
            raise
        raise partial.interruption() from error


def speak_opened(
    out: Path | BinaryIO,
    text: str | Iterable[str],
    opened: OpenVoice,
    style: Style,
    *,
    output: Output = _PLAIN_OUTPUT,
    on_spoken: OnSpoken | None = None,
    partial: PartialSpeech | None = None,
    whole: bool = False,
    captions: "list[Caption] | None" = None,
) -> Speech:
    """`speak_to` with a voice that is already open. Overwrites `out`. With `whole`, the text is one sentence."""
    start = partial.start if partial else SpeechPosition()
    narration = Narration(opened, text, style, start=start, whole=whole, captions=captions is not None)
    with _wave_file(out, opened.card.rate_hz, output, partial) as file:
        for piece in narration:
            if piece.number > start.sentences:
                file.write(piece.samples)
                if captions is not None and piece.caption:
                    captions.append(piece.caption)
                if partial:
                    partial.spoken(piece.number, piece.sentence.gain_db, file)
            if on_spoken:
                on_spoken(piece.sentence)
        return Speech(
            sentences=narration.sentences,
            seconds=file.seconds,
            rate_hz=opened.card.rate_hz,
            findings=tuple(narration.findings),
            warnings=(*opened.warnings(), *narration.hints, *findings(narration.improbable.sentences())),
            captions=tuple(captions or ()),
            computed=opened.card.variant,
        )


def _check_free(out: Path, output: Output) -> None:
    if out.suffix.lower() not in PLAIN:
        from voxmatrix.audio.encode import FORMATS, check_format

        if out.suffix.lower().removeprefix(".") not in FORMATS:
            known = ", ".join([*PLAIN, *(f".{name}" for name in FORMATS if name != "wav")])
            raise UsageError(f"{out.name} has no known extension: {out.suffix!r}", f"choose one of: {known}")
        check_format(out, output.bitrate)  # fail before anything is computed
    check_not_folder(out)
    if out.exists() and not output.force:
        raise UsageError(f"{out} already exists", "add `force` to overwrite it, or choose another name")


@contextmanager
def _wave_file(out: Path | BinaryIO, rate_hz: int, output: Output, partial: PartialSpeech | None) -> Iterator[WaveFile]:
    """The destination of samples: a stream, or a file that is written or encoded when the block ends without error."""
    if not isinstance(out, Path):
        yield WaveFile(out, rate_hz, raw=output.raw, streamed=True)
    elif out.suffix.lower() in PLAIN:
        with replacing(out) as file:
            wave = WaveFile(file, rate_hz, raw=output.raw or PLAIN[out.suffix.lower()])  # type: ignore[arg-type]
            with _kept(Path(file.name), wave, partial):
                yield wave
                wave.finish()
    else:
        from voxmatrix.audio.encode import encode

        with _folder_of(out, partial) as folder, (folder / _ENCODED_FROM).open("w+b") as file:
            wave = WaveFile(file, rate_hz)
            with _kept(folder / _ENCODED_FROM, wave, partial):
                yield wave
                wave.finish()
                file.flush()
                encode(folder / _ENCODED_FROM, out, bitrate=output.bitrate, force=True)
    if partial:
        partial.remove()


def unfinished(out: Path) -> Path | None:
    """The WAV of what another process has spoken so far into `out`; None if there is none."""
    beside = link_target(out)
    plain = f".{beside.name}.*.part" if beside.suffix.lower() == ".wav" else f"{_FOLDER}*/{_ENCODED_FROM}"
    return next(iter(sorted(beside.parent.glob(plain), key=lambda path: path.stat().st_mtime, reverse=True)), None)


@contextmanager
def _kept(path: Path, wave: WaveFile, partial: PartialSpeech | None) -> Iterator[None]:
    if partial is None:
        yield
        return
    with partial.kept(path, wave):
        partial.restore(wave)
        yield


@contextmanager
def _folder_of(out: Path, partial: PartialSpeech | None) -> Iterator[Path]:
    """A temporary folder for speech to encode: next to `out` if it may have to be kept there."""
    import tempfile

    out = link_target(out)
    with storage_errors(out):
        if partial:
            out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=_FOLDER, dir=out.parent if partial else None, ignore_cleanup_errors=True
        ) as folder:
            yield Path(folder)
