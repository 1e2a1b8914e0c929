"""Feed sound to ffmpeg as it comes, so that no sound is ever in memory as a whole."""

import errno
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from voxmatrix.audio.ffmpeg import failure_reason, ffmpeg_program
from voxmatrix.errors import UnreachableError, UsageError, VoxmatrixError
from voxmatrix.files import storage_errors
from voxmatrix.processes import describe_exit

_STORAGE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
#: Messages about a file that is incomplete. ffmpeg 5.1, that of Debian 12, ends with exit code 0 all the same.
_INCOMPLETE = re.compile(r"error (while )?(writing|closing|muxing)|av_interleaved_write_frame", re.IGNORECASE)
#: Packets that wait in ffmpeg. With several inputs it takes at most the usual 8 every 10 ms (ffmpeg 5).
_QUEUE = ("-thread_queue_size", "1024")
_AGAIN = "free some memory if it was short, and run the same command again"


class _EndedEarlyError(Exception):
    """ffmpeg no longer reads: its exit code and its messages say why."""


def samples_input(rate_hz: int) -> list[str]:
    """The options of an input of mono 16-bit samples."""
    return ["-f", "s16le", "-ar", str(rate_hz), "-ac", "1"]


@contextmanager
def fed_ffmpeg(
    given: Sequence[str], arguments: Sequence[str], out: Path, output: IO[bytes] | None = None
) -> Iterator[Callable[[bytes], None]]:
    """Start ffmpeg, and yield the function that sends it its first input, whose options are `given`.

    `arguments` are what follows that input. `out` is named in messages. ffmpeg's own output goes to `output`. When the
    block fails, ffmpeg is killed; when it succeeds, ffmpeg has ended well.

    Raises:
        MissingProgramError: ffmpeg is not installed.
        UsageError: ffmpeg refuses the arguments, e.g. a bit rate.
        UnreachableError: the disk is full, or `out` cannot be written.
        VoxmatrixError: ffmpeg was killed.
    """
    command = [ffmpeg_program(), "-v", "error", "-y", *_QUEUE, *given, "-i", "pipe:0"]
    with tempfile.TemporaryFile() as log:
        with subprocess.Popen(
            [*command, *arguments], stdin=subprocess.PIPE, stdout=output or subprocess.DEVNULL, stderr=log
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
    number = next((number for number in _STORAGE_ERRORS if os.strerror(number) in messages), None)
    if number:
        try:
            with storage_errors(out):
                raise OSError(number, os.strerror(number))
        except UnreachableError as error:
            return error
    problem = f"ffmpeg could not write {out}: {failure_reason(messages)}"
    return UsageError(problem, "choose another format or bit rate, e.g. 96k")
