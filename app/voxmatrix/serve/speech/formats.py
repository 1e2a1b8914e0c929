"""The formats of answers, encoded as the speech is computed."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal, get_args

import numpy as np

from voxmatrix.audio.encode import FORMATS, Format
from voxmatrix.audio.ffmpeg import fed_ffmpeg, samples_input
from voxmatrix.audio.waves import Samples
from voxmatrix.speak.wav import header, pcm

FormatName = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
FORMAT_NAMES: tuple[FormatName, ...] = get_args(FormatName)
#: Those of telephones as well: 8 bits a sample, without a header.
AnyFormatName = FormatName | Literal["ulaw", "alaw"]
#: OpenAI's `pcm` is 24 kHz, whatever the voice.
PCM_RATE_HZ = 24_000
_READ_BYTES = 65_536
Put = Callable[[bytes], None]
Write = Callable[[Samples], None]

CONTENT_TYPES: dict[AnyFormatName, str] = {
    "mp3": "audio/mpeg",
    "opus": "audio/opus",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
    "ulaw": "audio/basic",
    "alaw": "audio/x-alaw-basic",
}
#: AAC without a container, which a file would have.
_ENCODED = {name: FORMATS[name] for name in ("mp3", "opus", "flac")} | {
    "aac": replace(FORMATS["m4a"], container="adts"),
    "ulaw": Format("mulaw", "pcm_mulaw", ()),
    "alaw": Format("alaw", "pcm_alaw", ()),
}
#: No index is written at the end, as none can be added to what was sent; pages of Ogg leave at once.
_STREAMED = {"mp3": ("-write_xing", "0", "-id3v2_version", "0"), "opus": ("-page_duration", "20000")}


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """A format, and what can be chosen of it; None: as is usual for the format and the voice."""

    format: AnyFormatName
    rate_hz: int | None = None
    kbit: int | None = None  # per second, where the format is lossy

    def sent_rate_hz(self, voice_rate_hz: int) -> int:
        """The sample rate of the sound of a voice as it is sent."""
        return self.rate_hz or (PCM_RATE_HZ if self.format == "pcm" else voice_rate_hz)


@contextmanager
def encoder(encoding: Encoding, voice_rate_hz: int, put: Put) -> Iterator[Write]:
    """Yield the function that takes samples, which go to `put` in this format. Nothing is put before the first ones.

    Raises:
        MissingProgramError: ffmpeg is not installed.
        VoxmatrixError: ffmpeg failed.
    """
    rate_hz = encoding.sent_rate_hz(voice_rate_hz)
    with _written(encoding, rate_hz, put) as write:
        if rate_hz == voice_rate_hz:
            yield write
        else:
            resampled = _Resampled(voice_rate_hz, rate_hz, write)
            yield resampled.write
            resampled.finish()


@contextmanager
def _written(encoding: Encoding, rate_hz: int, put: Put) -> Iterator[Write]:
    """`encoder` for samples at the rate that is sent."""
    name = encoding.format
    if name == "wav":
        yield _Wave(rate_hz, put).write
    elif name == "pcm":
        yield lambda samples: put(pcm(samples))
    else:
        target = _ENCODED[name]
        options = ("-b:a", f"{encoding.kbit}k") if encoding.kbit else target.default_options
        arguments = [*target.encoder_options, *options, *_STREAMED.get(name, ()), "-flush_packets", "1"]
        codec = ["-c:a", target.codec] if target.codec else []
        with _pipe_to(
            put, rate_hz, [*codec, *arguments, "-f", target.container, "pipe:1"], Path(f"speech.{name}")
        ) as send:
            yield lambda samples: send(pcm(samples))


@dataclass
class _Wave:
    """A WAV stream of unknown length."""

    rate_hz: int
    put: Put
    begun: bool = False

    def write(self, samples: Samples) -> None:
        """The header goes with the first samples: until then, the answer can still be an error."""
        self.put(pcm(samples) if self.begun else header(self.rate_hz) + pcm(samples))
        self.begun = True


class _Resampled:
    """Samples at another rate than that of the voice."""

    def __init__(self, rate_hz: int, wanted_hz: int, write: Write) -> None:
        import soxr

        self._write = write
        self._stream = soxr.ResampleStream(rate_hz, wanted_hz, 1, dtype="float32")

    def write(self, samples: Samples, *, last: bool = False) -> None:
        """The filter keeps some of the samples for the next ones."""
        samples = self._stream.resample_chunk(samples, last=last)
        if len(samples):
            self._write(samples)

    def finish(self) -> None:
        """Write what the filter has kept."""
        self.write(np.zeros(0, np.float32), last=True)


@contextmanager
def _pipe_to(
    put: Callable[[bytes], None], rate_hz: int, arguments: Sequence[str], out: Path
) -> Iterator[Callable[[bytes], None]]:
    """Yield the function that sends samples to ffmpeg. Its output goes to `put`, all of it before the block ends.

    Raises:
        MissingProgramError, UsageError, UnreachableError, VoxmatrixError: see `fed_ffmpeg`.
    """
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb", buffering=0) as encoded:
        reader = threading.Thread(target=_forward, args=[encoded, put], name="encoded")
        reader.start()
        try:
            given = samples_input(rate_hz)
            with os.fdopen(write_end, "wb") as output, fed_ffmpeg(given, arguments, out, output) as send:
                yield send
        finally:
            reader.join()  # its pipe has no other end any more


def _forward(encoded: BinaryIO, put: Callable[[bytes], None]) -> None:
    while data := encoded.read(_READ_BYTES):
        put(data)
