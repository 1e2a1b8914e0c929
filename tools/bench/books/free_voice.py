"""A voice that takes only the time that it is told, and workers with it: `free_voice.py BROKER NAME SECONDS`.

A sentence is one second of silence. What remains is the cost of everything around a voice.
"""

import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from voxmatrix.files import replacing
from voxmatrix.models.device import Warn
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.speak.batch.messages import OnCharacters, Opening, SpeakJob, SpeakOne, WorkerStart
from voxmatrix.speak.output import Speech
from voxmatrix.speak.wav import header
from voxmatrix.work.cluster.worker.node import NodeSettings
from voxmatrix.work.cluster.worker.supervise import run_workers, scratch_folder

RATE_HZ = 16000


@contextmanager
def _open(seconds: float, start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        time.sleep(seconds)
        with replacing(job.out) as file:
            file.write(header(RATE_HZ, 2 * RATE_HZ) + bytes(2 * RATE_HZ))
        return Speech(sentences=1, seconds=1.0, rate_hz=RATE_HZ, findings=())

    yield speak


def free_voice(seconds: float = 0.0) -> Opening:
    """A voice that sleeps for a while over each sentence."""
    return partial(_open, seconds)


def main() -> None:
    """Run a worker until SIGTERM."""
    broker, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with scratch_folder() as scratch, suppress(KeyboardInterrupt):
        settings = NodeSettings(
            name=name,
            host=socket.gethostname(),
            broker=broker,
            results="",
            store="",
            request=DeviceRequest(kind="cpu"),
            threads=1,
            scratch=scratch,
            opening=free_voice(seconds),
        )
        run_workers([settings])


if __name__ == "__main__":
    main()
