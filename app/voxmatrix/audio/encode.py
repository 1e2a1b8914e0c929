"""Convert a sound file to another format (16 bits), with pydub and ffmpeg."""

import io
import shutil
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.audio.ffmpeg import decode, failure_reason, ffmpeg_program
from voxmatrix.audio.load import check_finite
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.files import replacing, storage_errors


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
    # ffmpeg 5 has another default: for speech, it takes three times as long and loses more (docs/measured-by-hand.md).
    "m4a": Format("ipod", "aac", ("-b:a", "96k"), ("-aac_coder", "fast"), most_kbit=576),
    "flac": Format("flac", "flac", ()),
    "wav": Format("wav", None, ()),
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
    check_finite(source)  # ffmpeg would make full-scale noise of it
    segment = _decode(source)
    with storage_errors(out), tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
        encoded = Path(folder) / f"sound.{target.container}"
        _export(segment, encoded, target, bitrate)
        with replacing(out) as file, encoded.open("rb") as result:
            shutil.copyfileobj(result, file)
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
    """pydub's AudioSegment, with the path of ffmpeg set.

    pydub 0.25.1 (2021) imports audioop, which is deprecated in Python 3.11 and 3.12, and has string escapes that 3.12
    warns about. Neither can be fixed here; `audioop-lts` provides audioop on 3.13.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.filterwarnings("ignore", "Couldn't find ffmpeg or avconv", RuntimeWarning)
        from pydub import AudioSegment
    AudioSegment.converter = ffmpeg_program()
    return AudioSegment


def _decode(source: Path) -> Any:
    """Decode `source` with ffmpeg alone: pydub would call ffprobe, which the static ffmpeg does not include."""
    segment = _audio_segment().from_file(io.BytesIO(decode(source)), format="wav")
    if not len(segment.raw_data):
        raise BadInputError(f"{source} contains no sound", "check that it plays, or create it again")
    return segment


def _export(segment: Any, encoded: Path, target: Format, bitrate: str | None) -> None:
    options = [*target.encoder_options, *(() if bitrate else target.default_options)] or None
    failure = ""
    with warnings.catch_warnings(), encoded.open("wb+") as file:
        warnings.simplefilter("ignore", ResourceWarning)  # pydub leaves its temporary files open when ffmpeg fails
        try:
            segment.export(file, format=target.container, codec=target.codec, bitrate=bitrate, parameters=options)
        except Exception as error:
            if type(error).__module__ != "pydub.exceptions":
                raise
            failure = failure_reason(str(error))
    if failure:
        raise UsageError(f"encoding failed: {failure}", "choose another format or bit rate, e.g. .mp3 at 96k")
