"""Encode sound to a file with tags, chapter marks and cover, with ffmpeg."""

import base64
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.audio.encode import FORMATS, check_format
from voxmatrix.audio.ffmpeg import fed_ffmpeg, muxer_has, samples_input
from voxmatrix.book.content import Cover
from voxmatrix.book.join.chapter_marks import check_chapter_marks
from voxmatrix.book.join.cover import flac_picture
from voxmatrix.book.join.tags import metadata_file
from voxmatrix.book.join.timeline import Timeline
from voxmatrix.errors import UsageError
from voxmatrix.files import replacing_path
from voxmatrix.landlock import Limits

#: Formats of one file for the whole book. Apple's players tell audiobooks by the extension.
WHOLE_BOOK = ("m4b",)
#: Formats of one file per chapter.
PER_CHAPTER = ("m4a", "mp3", "ogg", "opus", "flac")
#: Speech in mono needs less than the music that the defaults of FORMATS are meant for.
#: ffmpeg's other coder of AAC, which weighs what is heard, takes three times as long and pays at lower bit rates; at
#: this one its samples differ more (of 6 minutes of speech: 1.3 s instead of 4.3,
#: a signal-to-noise ratio of 35 dB instead of 27).
_SPEECH_OPTIONS = {"m4a": ("-b:a", "64k", "-aac_coder", "fast"), "mp3": ("-b:a", "64k")}
#: Of a chapter that is heard before the book is complete: the format that is smallest for the time that it takes.
DRAFT_EXTENSION = "mp3"
_DRAFT_OPTIONS: tuple[str, ...] = ("-b:a", "48k", "-compression_level", "9")
#: The same input gives the same bytes: no date, no version of ffmpeg.
REPRODUCIBLE = ("-fflags", "+bitexact", "-flags:a", "+bitexact", "-threads", "1")
_CONTAINER_OPTIONS = {
    "m4b": ("-brand", "M4B ", "-movflags", "+faststart"),
    "m4a": ("-movflags", "+faststart"),
    "mp3": ("-id3v2_version", "3"),
}
#: Samples of a frame of AAC. An encoder adds one of silence in front.
AAC_FRAME = 1024
#: Containers in which the cover is a stream of its own; in Ogg it is a tag.
_WITH_PICTURE = ("m4b", "m4a", "mp3", "flac")


@dataclass(frozen=True, kw_only=True)
class SoundFile:
    """A file to be written; its format is that of its extension."""

    out: Path
    rate_hz: int
    tags: Mapping[str, str]
    cover: Cover | None = None  # JPEG or PNG
    line: Timeline | None = None  # for the chapter marks of an m4b
    bitrate: str | None = None
    draft: bool = False  # encoded fast
    output_rate_hz: int | None = None  # None: that of the sound


def write_sound(file: SoundFile, sound: Iterable[bytes]) -> Path:
    """Write mono 16-bit samples to a file, which appears when it is complete.

    Raises:
        UsageError: the extension or the bit rate is not supported.
        MissingProgramError: ffmpeg is not installed.
        UnreachableError: the file cannot be written.
        DamagedFileError: ffmpeg has lost chapter marks.
        VoxmatrixError: ffmpeg was killed.
    """
    return _write(file, samples_input(file.rate_hz), encoding(file), sound)


def write_frames(file: SoundFile, parts: Iterable[bytes]) -> Path:
    """Write sound that is encoded already, as AAC frames in ADTS, to a file: see `write_sound`."""
    priming = ["-itsoffset", f"{-AAC_FRAME / file.rate_hz:.9f}"]  # silence that an encoder adds in front
    return _write(file, [*priming, "-f", "aac"], ["-c:a", "copy"], parts)


def _write(file: SoundFile, given: Sequence[str], codec: Sequence[str], data: Iterable[bytes]) -> Path:
    extension = _extension(file.out)
    with (
        tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as name,
        replacing_path(file.out) as beside,
    ):
        arguments = [*_inputs(file, Path(name)), *codec, "-f", FORMATS[_format_name(file.out)].container]
        arguments += [*_CONTAINER_OPTIONS.get(extension, ()), *(_movie_timescale() if file.line else ()), *REPRODUCIBLE]
        limits = Limits(reads=(Path(name),), writes=(beside,))
        with fed_ffmpeg(given, [*arguments, f"file:{beside}"], file.out, limits=limits) as send:
            for piece in data:
                send(piece)
        if file.line:
            check_chapter_marks(beside, file.line, file.out)
    return file.out


def _movie_timescale() -> list[str]:
    """The option for times in milliseconds, where ffmpeg (9) would choose a unit in which a long chapter is too long.

    Versions before 5 know no other unit than milliseconds, and not the option.
    """
    return ["-movie_timescale", "1000"] if muxer_has("ipod", "movie_timescale") else []


def check_sound_format(out: Path, bitrate: str | None, formats: Iterable[str]) -> None:
    """Check the extension of a file, and the bit rate.

    Raises:
        UsageError: the extension is none of `formats`, or the bit rate is invalid.
    """
    allowed = tuple(formats)
    if _extension(out) not in allowed:
        supported = ", ".join(f".{name}" for name in allowed)
        raise UsageError(f"{out.name} has the unknown extension {out.suffix!r}", f"choose one of: {supported}")
    check_format(Path(f"book.{_format_name(out)}"), bitrate)


def _extension(out: Path) -> str:
    return out.suffix.lower().removeprefix(".")


def _format_name(out: Path) -> str:
    """The row of FORMATS: m4b is m4a with another extension."""
    extension = _extension(out)
    return "m4a" if extension == "m4b" else extension


def encoding(file: SoundFile) -> list[str]:
    """The codec of a file, and its options.

    Raises:
        UsageError: the extension or the bit rate is not supported.
    """
    check_sound_format(file.out, file.bitrate, (*WHOLE_BOOK, *PER_CHAPTER))
    name = _format_name(file.out)
    form = FORMATS[name]
    if file.draft:
        options = _DRAFT_OPTIONS
    else:
        options = ("-b:a", file.bitrate) if file.bitrate else _SPEECH_OPTIONS.get(name, form.default_options)
    resampled = ["-ar", str(file.output_rate_hz)] if file.output_rate_hz else []
    return ["-c:a", form.codec or "copy", *form.encoder_options, *options, *resampled]


def _inputs(file: SoundFile, folder: Path) -> list[str]:
    """The inputs behind the sound, and what is taken from each."""
    tags = dict(file.tags)
    embedded = _extension(file.out) in _WITH_PICTURE
    if file.cover and not embedded:
        tags["METADATA_BLOCK_PICTURE"] = base64.b64encode(flac_picture(file.cover)).decode("ascii")
    metadata = folder / "metadata.txt"
    metadata.write_text(metadata_file(tags, file.line), encoding="utf-8")
    inputs = ["-f", "ffmetadata", "-i", f"file:{metadata}"]
    taken = ["-map", "0:a", "-map_metadata", "1", "-map_chapters", "1"]
    if "language" in tags:
        taken += ["-metadata:s:a:0", f"language={tags['language']}"]
    if file.cover and embedded:
        image = folder / "cover"
        image.write_bytes(file.cover.data)
        demuxer = "png_pipe" if file.cover.media_type == "image/png" else "jpeg_pipe"
        inputs += ["-f", demuxer, "-i", f"file:{image}"]
        taken += ["-map", "2:v", "-c:v", "copy", "-disposition:v:0", "attached_pic"]
        taken += ["-metadata:s:v:0", "title=Cover", "-metadata:s:v:0", "comment=Cover (front)"]
    return inputs + taken
