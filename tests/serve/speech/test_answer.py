"""Threads that compute answers."""

import asyncio
import subprocess
import sys

import pytest

from voxmatrix.serve.speech.answer import SpeechService

PROGRAM = """
import os, threading
from concurrent.futures import ThreadPoolExecutor
from voxmatrix.serve.speech import answer
os.nice({nice})
with ThreadPoolExecutor(1, initializer=answer._lower_priority) as pool:
    print(pool.submit(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id())).result())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, priorities are those of processes")
@pytest.mark.parametrize(("nice", "wanted"), [(0, 5), (10, 15), (19, 19)])
def test_a_server_that_was_started_with_nice_speaks(nice: int, wanted: int) -> None:
    begun = int(subprocess.check_output(["nice"]))
    program = [sys.executable, "-c", PROGRAM.format(nice=nice)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    assert int(done.stdout) == min(19, wanted + begun)


class Ending:
    """An answer that ends when another one does."""

    def __init__(self, together: asyncio.Barrier) -> None:
        self._together = together

    async def close(self) -> None:
        await self._together.wait()


def test_at_the_end_no_answer_waits_for_another() -> None:
    async def close() -> None:
        service = SpeechService(None, None, None, print)  # type: ignore[arg-type]  # nothing is spoken
        together = asyncio.Barrier(2)
        service._open = {Ending(together), Ending(together)}  # type: ignore[arg-type]
        await asyncio.wait_for(service.close(), 60)

    asyncio.run(close())
