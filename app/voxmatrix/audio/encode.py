"""One sound file → another format (16 bits), through pydub and the program ffmpeg."""

import io
import re
import shutil
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.errors import BadInputError, MissingProgramError, UsageError
from voxmatrix.files import replacing, storage_errors

#: How ffmpeg says that something went wrong.
_FAILURE = re.compile(
    r"fail|error|invalid|unsupported|not (supported|allowed|available)|could not|cannot", re.IGNORECASE
)


@dataclass(frozen=True)
class Format:
    """How ffmpeg names what an ending stands for."""

    container: str
    codec: str | None
    usual: tuple[str, ...]  # when no bit rate is chosen; empty for formats that lose nothing and have none


#: Every ending that can be written. Vorbis refuses most bit rates at 16 and 22 kHz, so its usual setting is a quality.
FORMATS = {
    "mp3": Format("mp3", "libmp3lame", ("-b:a", "128k")),
    "ogg": Format("ogg", "libvorbis", ("-q:a", "5")),
    "opus": Format("opus", "libopus", ("-b:a", "48k")),
    "m4a": Format("ipod", "aac", ("-b:a", "96k")),
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
    """Write the sound of `source` to `out` in the format of its ending; `out` appears whole or not at all.

    Raises:
        UsageError: the ending is unknown, the bit rate makes no sense, or `out` is there and `force` is not set.
        BadInputError: `source` is missing or damaged.
        MissingProgramError: there is no ffmpeg.
        UnreachableError: `out` cannot be written.
    """
    wanted = check_format(out, bitrate)
    if out.exists() and not force:
        raise UsageError(
            f"{out} is already there", f"add --force to replace it, or choose another name than {out.name}"
        )
    if not source.is_file():
        raise BadInputError(f"{source} is not a file", "name a sound file that is there")
    segment = _decode(source)
    with storage_errors(out), tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
        encoded = Path(folder) / f"sound.{wanted.container}"
        _export(segment, encoded, wanted, bitrate)
        with replacing(out) as file, encoded.open("rb") as whole:
            shutil.copyfileobj(whole, file)
    return out


def ffmpeg_program() -> str:
    """The system's ffmpeg, else the static one of the package imageio-ffmpeg.

    Raises:
        MissingProgramError: there is neither.
    """
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        remedy = "apt install ffmpeg, or pip install imageio-ffmpeg"
        raise MissingProgramError("the program ffmpeg is not installed; sound cannot be encoded", remedy) from error


def check_format(out: Path, bitrate: str | None) -> Format:
    """The format that the ending of `out` stands for.

    Raises:
        UsageError: there is none, or the bit rate makes no sense with it.
    """
    ending = out.suffix.lower().removeprefix(".")
    wanted = FORMATS.get(ending)
    if wanted is None:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{out.name} ends in {out.suffix or 'nothing'!r}", f"choose an ending that is known: {known}")
    if bitrate is not None:
        if not wanted.usual:
            raise UsageError(f"a .{ending} file has no bit rate to choose", "leave --bitrate out, or choose .mp3")
        if not bitrate.removesuffix("k").isdecimal() or not bitrate.endswith("k") or int(bitrate[:-1]) == 0:
            raise UsageError(
                f"the bit rate is {bitrate!r}", "write it in thousands of bits a second, e.g. --bitrate 96k"
            )
    return wanted


def _audio_segment() -> Any:
    """pydub's class, told where ffmpeg is.

    pydub 0.25.1 (2021) imports audioop, which Python 3.11 and 3.12 call deprecated, and has strings that 3.12 warns of;
    nothing here can mend it, and `audioop-lts` brings audioop back on 3.13.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.filterwarnings("ignore", "Couldn't find ffmpeg or avconv", RuntimeWarning)
        from pydub import AudioSegment
    AudioSegment.converter = ffmpeg_program()
    return AudioSegment


def _decode(source: Path) -> Any:
    """The sound of `source`; ffmpeg alone decodes it (pydub would ask ffprobe, which the static ffmpeg lacks)."""
    command = [ffmpeg_program(), "-v", "error", "-nostdin", "-xerror", "-i", f"file:{source}"]
    command += ["-vn", "-map", "0:a:0", "-f", "wav", "-acodec", "pcm_s16le", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode or len(done.stdout) <= 44:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = f": {reason[-1]}" if reason else ""
        raise BadInputError(f"{source} cannot be decoded{why}", "check that it plays, or make it again")
    segment = _audio_segment().from_file(io.BytesIO(_with_length(done.stdout)), format="wav")
    if not len(segment.raw_data):
        raise BadInputError(f"{source} holds no sound", "check that it plays, or make it again")
    return segment


def _with_length(wav: bytes) -> bytes:
    """A WAV from a pipe says that it has no end; say where it ends."""
    data = wav.index(b"data") + 4
    size = min(len(wav) - data - 4, 0xFFFF_FFFF)
    return wav[:data] + size.to_bytes(4, "little") + wav[data + 4 :]


def _export(segment: Any, encoded: Path, wanted: Format, bitrate: str | None) -> None:
    usual = None if bitrate else list(wanted.usual) or None
    failure = ""
    with warnings.catch_warnings(), encoded.open("wb+") as file:
        warnings.simplefilter("ignore", ResourceWarning)  # pydub forgets its own files when ffmpeg fails
        try:
            segment.export(
                file,
                format=wanted.container,
                codec=wanted.codec,
                bitrate=bitrate,
                parameters=usual,
            )
        except Exception as error:
            if type(error).__module__ != "pydub.exceptions":
                raise
            failure = _reason(str(error))
    if failure:
        raise UsageError(f"ffmpeg cannot write that: {failure}", "choose another format or bit rate, e.g. .mp3, 96k")


def _reason(output: str) -> str:
    """The line of ffmpeg's output that names the part which refused: `[libvorbis @ 0x…] encoder setup failed`.

    The first that speaks of a failure: newer versions go on with what every part around it has to say about that.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = [line for line in lines if line.startswith("[") and "@" in line]
    return next(filter(_FAILURE.search, named), (named or lines)[-1])
