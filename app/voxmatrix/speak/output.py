"""Speak a text into a file or a stream."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.files import check_not_folder, replacing, storage_errors
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.piper.voice import Voice, open_voice
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.partial import PartialSpeech, SpeechPosition
from voxmatrix.speak.synthesize import SpokenSentence, front_end, synthesis_options, synthesize
from voxmatrix.speak.text_chunks import complete_texts, paragraphs
from voxmatrix.speak.wav import PLAIN, WaveFile
from voxmatrix.text.front import FrontEnd

OnSpoken = Callable[[SpokenSentence], None]


@dataclass(frozen=True, kw_only=True)
class Speech:
    """What was spoken."""

    sentences: int
    seconds: float
    rate_hz: int
    findings: tuple[Finding, ...]
    warnings: tuple[Finding, ...] = ()  # of the whole text


def speak_to(
    out: Path | BinaryIO,
    text: str | Iterable[str],
    voice: Path,
    settings: SpeakSettings,
    on_spoken: OnSpoken | None = None,
    *,
    device: SpeakDevice = CPU,
    warn: Warn = python_warning,
    many: bool = False,
    partial: PartialSpeech | None = None,
) -> Speech:
    """Speak a text into a file, written completely or not at all, or into a stream, sentence by sentence.

    Sentences of a text that arrives in chunks are spoken as soon as they are complete. `warn` is called if the device
    fails and the CPU takes over; `many`: see `open_voice`. `partial` continues the speech of an interrupted command,
    and keeps this one's.

    Raises:
        InterruptedRunError: Ctrl-C or SIGTERM; `partial` keeps what is spoken.
        UsageError: `out` exists and `settings.force` is not set, its extension is unknown, or the bit rate is invalid.
        BadInputError: there is no such voice or speaker, or nothing to speak.
        DamagedFileError: a file of the voice is corrupt.
        NoDeviceError: the required device fails.
        MemoryExhaustedError: a sentence does not fit into memory, not even in segments.
        MissingProgramError: espeak-ng, ffmpeg or the package of the required device is missing.
        UnreachableError: `out` cannot be written.
        BrokenPipeError: the reader has closed the stream.
    """
    if isinstance(out, Path):
        _check_free(out, settings)
    try:
        with open_voice(voice, settings.threads, settings.seed, device=device, warn=warn, many=many) as opened:
            return speak_opened(out, text, opened, settings, on_spoken, partial=partial)
    except KeyboardInterrupt as error:
        if partial is None:
            raise
        raise partial.interruption() from error


def speak_opened(
    out: Path | BinaryIO,
    text: str | Iterable[str],
    opened: Voice,
    settings: SpeakSettings,
    on_spoken: OnSpoken | None = None,
    *,
    partial: PartialSpeech | None = None,
    front: FrontEnd | None = None,
) -> Speech:
    """`speak_to` with a voice, and perhaps a front end, that is already open. Overwrites `out`."""
    with nullcontext(front) if front else front_end(opened, settings) as used:
        synthesis_options(opened, settings)  # an unknown speaker is an error before the file is created
        texts = paragraphs(text) if isinstance(text, str) else complete_texts(text, used.language)
        start = partial.start if partial else SpeechPosition()
        with _wave_file(out, opened.config.rate_hz, settings, partial) as file:
            count = 0
            for count, spoken in enumerate(synthesize(opened, used, texts, settings, start), start=1):
                if count > start.sentences:
                    if count > 1:
                        file.pause(settings.pause_seconds)
                    file.write(spoken.samples)
                    if partial:
                        partial.spoken(count, spoken.gain_db, file)
                if on_spoken:
                    on_spoken(spoken)
            if not count:
                raise _nothing_to_speak(used.findings)
            return Speech(
                sentences=count,
                seconds=file.seconds,
                rate_hz=opened.config.rate_hz,
                findings=tuple(used.findings),
                warnings=used.warnings(),
            )


def _check_free(out: Path, settings: SpeakSettings) -> None:
    if out.suffix.lower() not in PLAIN:
        from voxmatrix.audio.encode import FORMATS, check_format

        if out.suffix.lower().removeprefix(".") not in FORMATS:
            known = ", ".join([*PLAIN, *(f".{name}" for name in FORMATS if name != "wav")])
            raise UsageError(f"{out.name} has no known extension: {out.suffix!r}", f"choose one of: {known}")
        check_format(out, settings.bitrate)  # fail before anything is computed
    check_not_folder(out)
    if out.exists() and not settings.force:
        raise UsageError(f"{out} already exists", "add --force to overwrite it, or choose another name")


@contextmanager
def _wave_file(
    out: Path | BinaryIO, rate_hz: int, settings: SpeakSettings, partial: PartialSpeech | None
) -> Iterator[WaveFile]:
    """The destination of samples: a stream, or a file that is written or encoded when the block ends without error."""
    if not isinstance(out, Path):
        yield WaveFile(out, rate_hz, raw=settings.raw, streamed=True)
    elif out.suffix.lower() in PLAIN:
        with replacing(out) as file:
            wave = WaveFile(file, rate_hz, raw=settings.raw or PLAIN[out.suffix.lower()])  # type: ignore[arg-type]
            with _kept(Path(file.name), wave, partial):
                yield wave
                wave.finish()
    else:
        from voxmatrix.audio.encode import encode

        with _folder_of(out, partial) as folder, (folder / "speech.wav").open("wb") as file:
            wave = WaveFile(file, rate_hz)
            with _kept(folder / "speech.wav", wave, partial):
                yield wave
                wave.finish()
                file.flush()
                encode(folder / "speech.wav", out, bitrate=settings.bitrate, force=True)
    if partial:
        partial.remove()


@contextmanager
def _kept(path: Path, wave: WaveFile, partial: PartialSpeech | None) -> Iterator[None]:
    if partial is None:
        yield
        return
    with partial.kept_on_interrupt(path, wave):
        partial.restore(wave)
        yield


@contextmanager
def _folder_of(out: Path, partial: PartialSpeech | None) -> Iterator[Path]:
    """A temporary folder for speech to encode: next to `out` if it may have to be kept there."""
    with storage_errors(out):
        if partial:
            out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".voxmatrix-", dir=out.parent if partial else None) as folder:
            yield Path(folder)


def _nothing_to_speak(findings: list[Finding]) -> BadInputError:
    first = f": {findings[0].problem}" if findings else ""
    return BadInputError(f"there is nothing to speak{first}", "give a text that contains words")
