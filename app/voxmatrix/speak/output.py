"""The whole job of `speak`: a voice, a text, and a file or a stream that the speech goes to."""

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
#: Endings that are written as they are; any other is encoded from a WAV.
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
    """Speak a text into a file, which appears whole or not at all, or into a stream, sentence by sentence.

    A text that comes in chunks is spoken as soon as a sentence is complete. `warn` is told when the device fails and
    the CPU takes over.

    Raises:
        UsageError: `out` is there and `settings.force` is not set, or its ending is unknown.
        BadInputError: there is no such voice or speaker, or nothing to speak.
        DamagedFileError: a file of the voice is damaged.
        NoDeviceError: the device was demanded, and fails.
        MemoryExhaustedError: a sentence does not even fit into memory piece by piece.
        MissingProgramError: espeak-ng, ffmpeg or the package of the demanded device is needed and missing.
        UnreachableError: `out` cannot be written.
        BrokenPipeError: who reads the stream has had enough.
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
    """`speak_to` with a voice that is open already; a file at `out` is replaced."""
    with front_end(opened, settings) as front:
        synthesis_options(opened, settings)  # a wrong speaker is refused before a file is begun
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
            raise UsageError(f"{out.name} ends in {out.suffix or 'nothing'!r}", f"choose an ending: {known}")
    if out.is_dir():
        raise UsageError(f"{out} is a folder", f"name a file in it, e.g. {out / 'speech.wav'}")
    if out.exists() and not settings.force:
        raise UsageError(f"{out} is already there", "add --force to replace it, or choose another name")


@contextmanager
def _wave_file(out: Path | BinaryIO, rate_hz: int, settings: SpeakSettings) -> Iterator[WaveFile]:
    """Where samples go: a stream, a file that appears when the block ends well, or one that is encoded then."""
    if not isinstance(out, Path):
        yield WaveFile(out, rate_hz, raw=settings.raw, streamed=True)
    elif out.suffix.lower() in PLAIN:
        with _finished(out, rate_hz, raw=settings.raw or PLAIN[out.suffix.lower()]) as file:
            yield file
    else:
        from voxmatrix.audio.encode import encode

        with tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
            whole = Path(folder) / "speech.wav"
            with _finished(whole, rate_hz, raw=False) as file:
                yield file
            encode(whole, out, bitrate=settings.bitrate, force=True)


@contextmanager
def _finished(path: Path, rate_hz: int, *, raw: bool) -> Iterator[WaveFile]:
    with replacing(path) as file:
        wave = WaveFile(file, rate_hz, raw=raw)  # type: ignore[arg-type]  # an IO[bytes] is one that is written
        yield wave
        wave.finish()


def _nothing_to_speak(findings: list[Finding]) -> BadInputError:
    first = f": {findings[0].problem}" if findings else ""
    return BadInputError(f"there is nothing to speak{first}", "give some text, in words")
