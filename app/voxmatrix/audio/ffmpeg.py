"""Decode sound with ffmpeg, a process of its own."""

import re
import shutil
import subprocess
from pathlib import Path

from voxmatrix.errors import BadInputError, MissingProgramError

#: The header of a WAV file; no more than that means no sound.
_HEADER_BYTES = 44
#: Words by which a line of ffmpeg's output is recognised as an error.
_FAILURE = re.compile(
    r"fail|error|invalid|unsupported|not (supported|allowed|available)|could not|cannot", re.IGNORECASE
)


def ffmpeg_program() -> str:
    """The path of the system's ffmpeg, or else of the static build in the package imageio-ffmpeg.

    Raises:
        MissingProgramError: neither is installed.
    """
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        remedy = "apt install ffmpeg, or pip install imageio-ffmpeg"
        raise MissingProgramError("ffmpeg is not installed; sound cannot be converted", remedy) from error


def decode(source: Path, max_seconds: float | None = None) -> bytes:
    """The first sound in `source`, at most `max_seconds` of it, as a 16-bit WAV file.

    Raises:
        BadInputError: `source` is damaged or contains no sound.
        MissingProgramError: ffmpeg is not installed.
    """
    command = [ffmpeg_program(), "-v", "error", "-nostdin", "-xerror", "-i", f"file:{source}"]
    command += [] if max_seconds is None else ["-t", str(max_seconds)]
    command += ["-vn", "-map", "0:a:0", "-f", "wav", "-acodec", "pcm_s16le", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode or len(done.stdout) <= _HEADER_BYTES:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = f": {reason[-1]}" if reason else ""
        raise BadInputError(f"{source} cannot be decoded{why}", "check that it plays, or create it again")
    return _with_length(done.stdout)


def failure_reason(output: str) -> str:
    """The line of ffmpeg's output that names the component that failed: `[libvorbis @ 0x…] encoder setup failed`.

    The first such line is the cause: newer versions also log an error for every component around it.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = [line for line in lines if line.startswith("[") and "@" in line]
    return next(filter(_FAILURE.search, named), (named or lines or ["it gave no reason"])[-1])


def _with_length(wav: bytes) -> bytes:
    """`wav` with the length of its data in its header: ffmpeg leaves that open when it writes to a pipe."""
    data = wav.index(b"data") + 4
    size = min(len(wav) - data - 4, 0xFFFF_FFFF)
    return wav[:data] + size.to_bytes(4, "little") + wav[data + 4 :]
