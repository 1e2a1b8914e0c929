"""Convert a sound file to another format (16 bits), with pydub and ffmpeg."""

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from voxmatrix.audio.checks import check_block, check_file
from voxmatrix.audio.ffmpeg import decode, fed_ffmpeg
from voxmatrix.audio.formats import SoundFormat
from voxmatrix.audio.load import blocks
from voxmatrix.audio.pieces import split
from voxmatrix.audio.whole import read_whole
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.files import replacing_path
from voxmatrix.landlock import Limits

if TYPE_CHECKING:
    import soundfile

#: A WAV file with more has a header of another kind, RF64.
MAX_WAV_BYTES = 0xFFFF_0000


@dataclass(frozen=True)
class Format:
    """ffmpeg's names for an output format."""

    container: str
    codec: str | None
    default_options: tuple[str, ...]  # used without a bit rate; empty for lossless formats, which have no bit rate
    encoder_options: tuple[str, ...] = ()  # used with any bit rate
    most_kbit: int | None = None  # per second, where the encoder would silently use less than was asked for


#: Output formats by extension. Vorbis rejects most bit rates at 16 and 22 kHz, so its default is a quality instead.
FORMATS = {
    "mp3": Format("mp3", "libmp3lame", ("-b:a", "128k"), most_kbit=320),
    "ogg": Format("ogg", "libvorbis", ("-q:a", "5")),
    "opus": Format("opus", "libopus", ("-b:a", "48k")),
    # ffmpeg 5 has another default: for speech, it takes three times as long and loses more
    # (docs/inside/measured-by-hand.md).
    "m4a": Format("ipod", "aac", ("-b:a", "96k"), ("-aac_coder", "fast"), most_kbit=576),
    "flac": Format("flac", "flac", ()),
    "wav": Format("wav", None, (), ("-bitexact",)),
}


def encode(
    source: Path,
    out: Path,
    *,
    bitrate: str | None = None,
    force: bool = False,
) -> Path:
    """Encode `source` to `out` in the format of its extension; `out` is written atomically.

    Raises:
        UsageError: the extension is unknown, the bit rate is invalid, or `out` exists and `force` is not set.
        BadInputError: `source` is missing or damaged, or contains NaN or infinity.
        MissingProgramError: ffmpeg is not installed.
        UnreachableError: `out` cannot be written.
    """
    target = check_format(out, bitrate)
    if out.exists() and not force:
        raise UsageError(f"{out} already exists", f"add `force` to replace it, or choose another name than {out.name}")
    if not source.is_file():
        raise BadInputError(f"{source} is not a file", "choose an existing sound file")
    sound = _decode(source)
    given = ["-f", "s16le", "-ar", str(sound.frame_rate), "-ac", str(sound.channels)]
    longer = ["-rf64", "always"] if target.container == "wav" and len(sound.raw_data) > MAX_WAV_BYTES else []
    with replacing_path(out) as beside:
        arguments = [*_options(target, bitrate), *longer, f"file:{beside}"]
        with fed_ffmpeg(given, arguments, out, limits=Limits(writes=(beside,))) as send:
            send(sound.raw_data)
    return out


def check_format(out: Path, bitrate: str | None) -> Format:
    """The format for the extension of `out`.

    Raises:
        UsageError: the extension is unknown, or the bit rate is invalid for the format.
    """
    extension = out.suffix.lower().removeprefix(".")
    target = FORMATS.get(extension)
    if target is None:
        supported = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{out.name} has the unknown extension {out.suffix!r}", f"choose one of: {supported}")
    if bitrate is not None:
        if not target.default_options:
            raise UsageError(f"a .{extension} file is lossless and has no bit rate", "omit `bitrate`, or choose .mp3")
        if not bitrate.removesuffix("k").isdecimal() or not bitrate.endswith("k") or int(bitrate[:-1]) == 0:
            raise UsageError(f"the bit rate is {bitrate!r}", "give it in kilobits per second, e.g. `bitrate=96k`")
        if target.most_kbit and int(bitrate[:-1]) > target.most_kbit:
            raise UsageError(f"the bit rate is {bitrate!r}", f"choose {target.most_kbit}k or less for .{extension}")
    return target


def _audio_segment() -> Any:
    """pydub's AudioSegment. It holds the sound: ffmpeg is started by us, with nothing of this environment.

    pydub 0.25.1 (2021) imports audioop, which is deprecated in Python 3.11 and 3.12, and has string escapes that 3.12
    warns about. Neither can be fixed here; `audioop-lts` provides audioop on 3.13.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.filterwarnings("ignore", "Couldn't find ffmpeg or avconv", RuntimeWarning)
        from pydub import AudioSegment
    return AudioSegment


def _decode(source: Path) -> Any:
    """`source` as 16-bit samples, all its pieces if it was joined from several."""
    check_file(source)
    segment = read_whole(source, partial(_segment, source), partial(_joined, source), partial(_by_ffmpeg, source))
    if not len(segment.raw_data):
        raise BadInputError(f"{source} contains no sound", "check that it plays, or create it again")
    return segment


def _by_ffmpeg(source: Path, form: SoundFormat) -> io.BytesIO:
    return io.BytesIO(decode(source, form))


def _segment(source: Path, file: "soundfile.SoundFile") -> Any:
    parts, frames = [], 0
    for block in blocks(source, file):
        check_block(source, block, frames, file.samplerate)
        frames += len(block)
        parts.append(np.clip(np.rint(block * 2**15), -(2**15), 2**15 - 1).astype("<i2").tobytes())
    about = {"sample_width": 2, "frame_rate": file.samplerate, "channels": file.channels}
    return _audio_segment()(b"".join(parts), **about)


def _joined(source: Path, begins: Sequence[int]) -> Any:
    with split(source, begins) as pieces:
        first, *others = map(_decode, pieces)
    return sum(others, first)


def _options(target: Format, bitrate: str | None) -> list[str]:
    """Options of ffmpeg for the codec, and how much it may lose."""
    codec = ["-c:a", target.codec] if target.codec else []
    rate = ["-b:a", bitrate] if bitrate else target.default_options
    return [*codec, *target.encoder_options, *rate, "-f", target.container]
