"""A worker with a voice that costs nothing: `python tone_worker.py BROKER NAME SECONDS STORE DAMAGE`.

Its child takes SECONDS for each sentence. STORE is "" for the broker. DAMAGE is "", `corrupt:SEED` or `truncate:SEED`:
a third of the audio is damaged on its way.
"""

import os
import random
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from voxmatrix.files import replacing
from voxmatrix.models.device import Warn
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.speak.batch.messages import OnCharacters, SpeakJob, SpeakOne, WorkerStart
from voxmatrix.speak.output import Speech
from voxmatrix.speak.wav import header
from voxmatrix.work.cluster import store
from voxmatrix.work.cluster.worker.node import NodeSettings
from voxmatrix.work.cluster.worker.supervise import run_workers, scratch_folder

RATE_HZ = 22050
_WORDS = sys.argv[1:] if Path(sys.argv[0]).stem == "tone_worker" else ["", "", "0", "", ""]
BROKER, NAME, SECONDS, STORE, DAMAGE = _WORDS[0], _WORDS[1], float(_WORDS[2]), _WORDS[3], _WORDS[4]


@contextmanager
def tones(start: WorkerStart, warn: Warn) -> Iterator[SpeakOne]:
    """A "voice" whose samples are the characters of the text."""

    def speak(job: SpeakJob, on_characters: OnCharacters) -> Speech:
        time.sleep(SECONDS)
        if "always fails" in job.text:
            raise ValueError("this text always fails")
        if "always kills" in job.text:
            os.kill(os.getpid(), signal.SIGKILL)
        data = f"{job.text} {job.settings.seed}".encode("utf-16-le") * 100
        with replacing(job.out) as file:
            file.write(header(RATE_HZ, len(data)) + data)
        return Speech(sentences=1, seconds=len(data) / 2 / RATE_HZ, rate_hz=RATE_HZ, findings=())

    yield speak


def _corrupt(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def _truncate(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


_DAMAGE = {"corrupt": _corrupt, "truncate": _truncate}


def damage_uploads(kind: str, seed: str) -> None:
    """Damage a third of the audio on its way into the store, each once: nothing is to be given up."""
    put, chance = store.RedisStore.put, random.Random(seed)
    harmed: set[bytes] = set()

    def damaged(self: store.RedisStore, name: str, data: bytes, keep_seconds: int) -> None:
        unlucky = name.startswith("audio/") and data not in harmed and chance.random() < 1 / 3
        harmed.update([data] if unlucky else [])
        put(self, name, _DAMAGE[kind](data, chance) if unlucky else data, keep_seconds)

    store.RedisStore.put = damaged  # type: ignore[method-assign]


if DAMAGE:
    damage_uploads(*DAMAGE.split(":"))  # also in the process that multiprocessing starts

if __name__ == "__main__":
    with scratch_folder() as scratch:
        settings = NodeSettings(
            name=NAME,
            host=socket.gethostname(),
            broker=BROKER,
            results="",
            store=STORE,
            request=DeviceRequest(kind="cpu"),
            threads=1,
            scratch=scratch,
            opening=tones,
        )
        # As `voxmatrix_entrypoint.launch` does for the command.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            run_workers([settings])
