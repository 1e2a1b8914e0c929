"""One ffmpeg whose output is read while it is fed."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from voxmatrix.audio.ffmpeg import fed_ffmpeg, samples_input

_READ_BYTES = 65_536


@contextmanager
def pipe_to(
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
