"""A worker with a voice that costs nothing: `python tone_worker.py BROKER NAME SECONDS [corrupt] [STORE]`.

Its child takes SECONDS for each sentence. With `corrupt` it damages every third piece of audio on its way.
"""

import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from voxmatrix.files import replacing
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.speak.batch.messages import OnCharacters, SpeakJob, SpeakOne, WorkerStart
from voxmatrix.speak.device import Warn
from voxmatrix.speak.output import Speech
from voxmatrix.speak.wav import header
from voxmatrix.work.cluster import store
from voxmatrix.work.cluster.worker.node import NodeSettings
from voxmatrix.work.cluster.worker.supervise import run_workers, scratch_folder

RATE_HZ = 22050
SECONDS = float(sys.argv[3]) if Path(sys.argv[0]).stem == "tone_worker" else 0.0


@contextmanager
def tones(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A "voice" whose samples are the characters of the text."""

    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        time.sleep(SECONDS)
        if "always fails" in job.text:
            raise ValueError("this text always fails")
        data = f"{job.text} {job.settings.seed}".encode("utf-16-le") * 100
        with replacing(job.out) as file:
            file.write(header(RATE_HZ, len(data)) + data)
        return Speech(sentences=1, seconds=len(data) / 2 / RATE_HZ, rate_hz=RATE_HZ, findings=())

    yield speak


def corrupt() -> None:
    """Flip a bit of every third piece of audio."""
    put, count = store.RedisStore.put, 0

    def damaged(self: store.RedisStore, name: str, data: bytes, keep_seconds: int) -> None:
        nonlocal count
        count += name.startswith("audio/")
        put(self, name, data[:-1] + bytes([data[-1] ^ 1]) if count % 3 == 1 else data, keep_seconds)

    store.RedisStore.put = damaged  # type: ignore[method-assign]


if "corrupt" in sys.argv:
    corrupt()  # also in the process that multiprocessing starts, which imports this file again

if __name__ == "__main__":
    with scratch_folder() as scratch:
        settings = NodeSettings(
            name=sys.argv[2],
            host=socket.gethostname(),
            broker=sys.argv[1],
            results="",
            store=sys.argv[4] if len(sys.argv) > 4 and sys.argv[4] != "corrupt" else "",
            request=DeviceRequest(kind="cpu"),
            threads=1,
            scratch=scratch,
            opening=tones,
        )
        # As `voxmatrix_entrypoint.launch` does for the command.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            run_workers([settings])
