"""ffmpeg, a process of its own: decode sound, and feed it sound as it comes, never in memory as a whole."""

import errno
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from voxmatrix.audio.formats import MP3, SoundFormat
from voxmatrix.child_environment import for_program
from voxmatrix.errors import (
    BadInputError,
    MissingProgramError,
    ProgramWarning,
    UnreachableError,
    UsageError,
    VoxmatrixError,
)
from voxmatrix.files import read_errors, replacing_path, storage_errors
from voxmatrix.landlock import Limits
from voxmatrix.processes import describe_exit, run, start

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


def muxer_has(muxer: str, option: str) -> bool:
    """Whether this version of ffmpeg knows an option of a container.

    Raises:
        MissingProgramError: ffmpeg is not installed.
    """
    command = [ffmpeg_program(), "-v", "error", "-h", f"muxer={muxer}"]
    done = run(command, environment=for_program(), limits=Limits(), stdin=subprocess.DEVNULL)
    return f"-{option} ".encode() in done.stdout


#: Joined files go back in time, which ends the writing of some formats: their samples are counted anew.
_FIRST_SOUND = ("-vn", "-map", "0:a:0", "-af", "asetpts=N/SR/TB")


def decode(source: Path, form: SoundFormat, max_seconds: float | None = None) -> bytes:
    """The first sound in `source`, at most `max_seconds` of it, as a 16-bit WAV file.

    Raises:
        BadInputError: `source` is damaged, contains no sound, or has another format.
        MissingProgramError: ffmpeg is not installed.
    """
    limit = [] if max_seconds is None else ["-t", str(max_seconds)]
    done = _decoding(source, form, [*limit, "-f", "wav", "-acodec", "pcm_s16le", "-"])
    if done.returncode or len(done.stdout) <= _HEADER_BYTES:
        raise _not_decoded(source, done.stderr)
    return _with_length(done.stdout)


def decode_long(source: Path, form: SoundFormat, out: Path, *, mono: bool = True) -> None:
    """Decode the first sound in `source` to a FLAC file: of hours, too much for memory.

    Raises:
        BadInputError: `source` is damaged, contains no sound, or has another format.
        MissingProgramError: ffmpeg is not installed.
        UnreachableError: the disk is full, or `out` cannot be written.
    """
    with replacing_path(out) as beside:
        channels = ["-ac", "1"] if mono else []
        done = _decoding(source, form, [*channels, "-f", "flac", "-y", f"file:{beside}"], [beside])
        messages = done.stderr.decode("utf-8", "replace")
        if number := _storage_error(messages):
            raise OSError(number, os.strerror(number))
        if done.returncode or _INCOMPLETE.search(messages):
            raise _not_decoded(source, done.stderr)


def _decoding(
    source: Path, form: SoundFormat, arguments: Sequence[str], writes: Sequence[Path] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Run ffmpeg on a file of a known format, which is all that it may open.

    It guesses nothing: formats that name other files are among its guesses. What need not be sought in is a pipe.
    """
    protocol, url = ("file", f"file:{source.absolute()}") if form.seeks else ("pipe", "pipe:0")
    given = ["-f", form.demuxer, "-protocol_whitelist", protocol, "-i", url]
    # Between the pieces of a joined MP3 are tags: errors, but none of the sound.
    strict = [] if form is MP3 else ["-xerror"]
    command = [ffmpeg_program(), "-v", "error", "-nostdin", *strict, *given, *_FIRST_SOUND, *arguments]
    limits = Limits(reads=(source,) if form.seeks else (), writes=tuple(writes))
    with read_errors(source), source.open("rb") as file:
        return run(command, environment=for_program(), limits=limits, stdin=file)


def _not_decoded(source: Path, messages: bytes) -> BadInputError:
    reason = messages.decode("utf-8", "replace").strip().splitlines()
    why = f": {reason[-1]}" if reason else ""
    return BadInputError(f"{source} cannot be decoded{why}", "check that it plays, or create it again")


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


_STORAGE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
#: Messages about a file that is incomplete. ffmpeg 5.1, that of Debian 12, ends with exit code 0 all the same.
_INCOMPLETE = re.compile(r"error (while )?(writing|closing|muxing)|av_interleaved_write_frame", re.IGNORECASE)
#: Where a component is in the memory of ffmpeg: different in each run.
_ADDRESS = re.compile(r" @ 0x[0-9a-f]+\]")
#: Packets that wait in ffmpeg. With several inputs it takes at most the usual 8 every 10 ms (ffmpeg 5).
_QUEUE = ("-thread_queue_size", "1024")
_AGAIN = "free some memory if it was short, and run the same command again"


class _EndedEarlyError(Exception):
    """ffmpeg no longer reads: its exit code and its messages say why."""


def samples_input(rate_hz: int) -> list[str]:
    """The options of an input of mono 16-bit samples. ffmpeg 5 would first wait for five seconds of them to look at."""
    return ["-probesize", "32", "-analyzeduration", "0", "-f", "s16le", "-ar", str(rate_hz), "-ac", "1"]


@contextmanager
def fed_ffmpeg(
    given: Sequence[str],
    arguments: Sequence[str],
    out: Path,
    output: IO[bytes] | None = None,
    limits: Limits | None = None,
) -> Iterator[Callable[[bytes], None]]:
    """Start ffmpeg, and yield the function that sends it its first input, whose options are `given`.

    `arguments` are what follows that input. `out` is named in messages. ffmpeg's own output goes to `output`; it
    opens no files but those of its `limits`. When the block fails, ffmpeg is killed; when it succeeds, ffmpeg has ended
    well, and what it complained of nevertheless is a `ProgramWarning`.

    Raises:
        MissingProgramError: ffmpeg is not installed.
        UsageError: ffmpeg refuses the arguments, e.g. a bit rate.
        UnreachableError: the disk is full, or `out` cannot be written.
        VoxmatrixError: ffmpeg was killed.
    """
    command = [ffmpeg_program(), "-v", "error", "-y", *_QUEUE, *given, "-i", "pipe:0"]
    with tempfile.TemporaryFile() as log:
        with start(
            [*command, *arguments],
            environment=for_program(),
            limits=limits or Limits(),
            stdin=subprocess.PIPE,
            stdout=output or subprocess.DEVNULL,
            stderr=log,
        ) as process:
            complete = False
            try:
                assert process.stdin is not None
                yield lambda data: _send(process.stdin, data)
                with suppress(BrokenPipeError):
                    process.stdin.close()
                complete = True
            except _EndedEarlyError:
                pass
            except BaseException:
                process.kill()
                raise
            finally:
                _close(process.stdin)
            code = process.wait()
        log.seek(0)
        messages = log.read().decode("utf-8", "replace")
    if code or not complete or _INCOMPLETE.search(messages):
        raise _failure(code, messages, out)
    for message in dict.fromkeys(_ADDRESS.sub("]", line.strip()) for line in messages.splitlines()):
        warnings.warn(f"ffmpeg wrote {out}, and says: {message}", ProgramWarning, stacklevel=3)


def _send(stdin: IO[bytes] | None, data: bytes) -> None:
    try:
        if stdin is not None:
            stdin.write(data)
    except BrokenPipeError as error:
        raise _EndedEarlyError from error


def _close(stdin: IO[bytes] | None) -> None:
    """Close a pipe that nobody may read any more, in which something may be left."""
    if stdin is not None:
        with suppress(BrokenPipeError):
            stdin.close()


def _failure(code: int, messages: str, out: Path) -> VoxmatrixError:
    """The error for an ffmpeg that ended with `code` while it wrote `out`."""
    if code < 0:
        problem = f"ffmpeg {describe_exit(code)} while it wrote {out}"
        return VoxmatrixError(problem, _AGAIN)
    if number := _storage_error(messages):
        try:
            with storage_errors(out):
                raise OSError(number, os.strerror(number))
        except UnreachableError as error:
            return error
    problem = f"ffmpeg could not write {out}: {failure_reason(messages)}"
    return UsageError(problem, "choose another format or bit rate, e.g. 96k")


def _storage_error(messages: str) -> int | None:
    """The number of the error that ffmpeg met where it wrote."""
    return next((number for number in _STORAGE_ERRORS if os.strerror(number) in messages), None)
