"""The host's end of the wire: frames to and from an engine, each within a time limit."""

import os
import select
import time
from collections.abc import Callable, Mapping
from typing import Any

from voxmatrix.closing import Closeable
from voxmatrix.encoding import parse_json
from voxmatrix.external import wire
from voxmatrix.processes import EndedError

#: How often it is looked whether a sentence is still wanted.
_TICK_SECONDS = 0.1


class Channel(Closeable):
    """Two pipes. An engine gets the ends that it inherits; they are closed here by `inherited`."""

    def __init__(self) -> None:
        theirs, self._requests = os.pipe()
        self._answers, ours = os.pipe()
        #: File descriptors for the engine, and the variables that name them.
        self.inherited = (theirs, ours)
        self.variables = {wire.IN_VARIABLE: str(theirs), wire.OUT_VARIABLE: str(ours)}
        os.set_blocking(self._requests, False)
        self._open = True

    def close_inherited(self) -> None:
        """Let go of the ends of the engine, so that its end is noticed."""
        for number in self.inherited:
            os.close(number)

    def close(self) -> None:
        """Close our ends: the engine then ends."""
        if self._open:
            self._open = False
            os.close(self._requests)
            os.close(self._answers)

    def send(self, head: Mapping[str, Any], seconds: float, body: bytes = b"") -> None:
        """Send a frame.

        Raises:
            EndedError: the engine has ended.
            TimeoutError: it does not read.
        """
        left, until = memoryview(wire.encode(head, body)), time.monotonic() + seconds
        while left:
            if not _ready(self._requests, select.POLLOUT, until):
                raise TimeoutError
            try:
                left = left[os.write(self._requests, left) :]
            except BlockingIOError:
                continue
            except BrokenPipeError as error:
                raise EndedError from error

    def receive(self, seconds: float, look: Callable[[], None] = lambda: None) -> wire.Frame:
        """The next frame. `look` is called now and then.

        Raises:
            EndedError: the engine has ended.
            FrameError: it is no frame.
            TimeoutError: it is late.
        """
        until = time.monotonic() + seconds

        def read(size: int) -> bytes:
            data = bytearray()
            while len(data) < size:
                look()
                if _ready(self._answers, select.POLLIN, min(until, time.monotonic() + _TICK_SECONDS)):
                    part = os.read(self._answers, min(size - len(data), 2**20))
                    if not part:
                        raise EndedError
                    data += part
                elif time.monotonic() >= until:
                    raise TimeoutError
            return bytes(data)

        return wire.read_frame(read, parse_json)


def _ready(number: int, event: int, until: float) -> bool:
    """Whether a file descriptor gets ready before the time."""
    poll = select.poll()
    poll.register(number, event)
    return bool(poll.poll(max(0.0, until - time.monotonic()) * 1000))
