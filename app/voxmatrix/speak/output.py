"""Speak a text into a file or a stream."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.files import replacing
from voxmatrix.speak.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.synthesize import SpokenSentence, front_end, synthesis_options, synthesize
from voxmatrix.speak.text_chunks import complete_texts, paragraphs
from voxmatrix.speak.voice import Voice, open_voice
from voxmatrix.speak.wav import WaveFile

OnSpoken = Callable[[SpokenSentence], None]
#: Extensions that are written directly, and whether without a header. Other formats are encoded from WAV.
PLAIN = {".wav": False, ".raw": True, ".pcm": True}


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
) -> Speech:
    """Speak a text into a file, written completely or not at all, or into a stream, sentence by sentence.

    Sentences of a text that arrives in chunks are spoken as soon as they are complete. `warn` is called if the device
    fails and the CPU takes over.

    Raises:
        UsageError: `out` exists and `settings.force` is not set, or its extension is unknown.
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
    with open_voice(voice, settings.threads, settings.seed, device=device, warn=warn) as opened:
        return speak_opened(out, text, opened, settings, on_spoken)


def speak_opened(
    out: Path | BinaryIO,
    text: str | Iterable[str],
    opened: Voice,
    settings: SpeakSettings,
    on_spoken: OnSpoken | None = None,
) -> Speech:
    """`speak_to` with a voice that is already open. Overwrites `out`."""
    with front_end(opened, settings) as front:
        synthesis_options(opened, settings)  # an unknown speaker is an error before the file is created
        texts = paragraphs(text) if isinstance(text, str) else complete_texts(text, front.language)
        with _wave_file(out, opened.config.rate_hz, settings) as file:
            count = 0
            for count, spoken in enumerate(synthesize(opened, front, texts, settings), start=1):
                if count > 1:
                    file.pause(settings.pause_seconds)
                file.write(spoken.samples)
                if on_spoken:
                    on_spoken(spoken)
            if not count:
                raise _nothing_to_speak(front.findings)
            return Speech(
                sentences=count,
                seconds=file.frames / opened.config.rate_hz,
                rate_hz=opened.config.rate_hz,
                findings=tuple(front.findings),
                warnings=front.warnings(),
            )


def _check_free(out: Path, settings: SpeakSettings) -> None:
    if out.suffix.lower() not in PLAIN:
        from voxmatrix.audio.encode import FORMATS

        if out.suffix.lower().removeprefix(".") not in FORMATS:
            known = ", ".join([*PLAIN, *(f".{name}" for name in FORMATS if name != "wav")])
            raise UsageError(f"{out.name} has no known extension: {out.suffix!r}", f"choose one of: {known}")
    if out.is_dir():
        raise UsageError(f"{out} is a folder", f"choose a file in it, e.g. {out / 'speech.wav'}")
    if out.exists() and not settings.force:
        raise UsageError(f"{out} already exists", "add --force to overwrite it, or choose another name")


@contextmanager
def _wave_file(out: Path | BinaryIO, rate_hz: int, settings: SpeakSettings) -> Iterator[WaveFile]:
    """The destination of samples: a stream, or a file that is written or encoded when the block ends without error."""
    if not isinstance(out, Path):
        yield WaveFile(out, rate_hz, raw=settings.raw, streamed=True)
    elif out.suffix.lower() in PLAIN:
        with _finished(out, rate_hz, raw=settings.raw or PLAIN[out.suffix.lower()]) as file:
            yield file
    else:
        from voxmatrix.audio.encode import encode

        with tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
            wav = Path(folder) / "speech.wav"
            with _finished(wav, rate_hz, raw=False) as file:
                yield file
            encode(wav, out, bitrate=settings.bitrate, force=True)


@contextmanager
def _finished(path: Path, rate_hz: int, *, raw: bool) -> Iterator[WaveFile]:
    with replacing(path) as file:
        wave = WaveFile(file, rate_hz, raw=raw)  # type: ignore[arg-type]  # replacing() opens a BinaryIO
        yield wave
        wave.finish()


def _nothing_to_speak(findings: list[Finding]) -> BadInputError:
    first = f": {findings[0].problem}" if findings else ""
    return BadInputError(f"there is nothing to speak{first}", "give a text that contains words")
