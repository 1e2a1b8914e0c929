"""Reads events of limited length: the protocol lets a client announce any."""

import asyncio

#: The longest line. A longer one is not an event.
LINE_BYTES = 64 * 1024


class BoundedReader(asyncio.StreamReader):
    """A stream whose blocks have at most as many bytes as a text may take."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(limit=LINE_BYTES)
        self._most_bytes = most_bytes

    async def readexactly(self, n: int) -> bytes:
        """The next `n` bytes.

        Raises:
            ValueError: they are too many. The library takes that for the end of the stream.
            asyncio.IncompleteReadError: the stream has ended.
        """
        if n > self._most_bytes:
            raise ValueError(f"an event has {n:,} bytes; at most {self._most_bytes:,} are read")
        return await super().readexactly(n)
