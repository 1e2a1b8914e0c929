"""A worker that starts soon, and may damage what it sends: `python tone_worker.py BROKER NAME STORE DAMAGE`.

STORE is "" for the broker. DAMAGE is "", `corrupt:SEED` or `truncate:SEED`: a third of the audio is damaged on its way.
"""

import random
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.work.cluster import store
from voxmatrix.work.cluster.worker.node import NodeSettings
from voxmatrix.work.cluster.worker.supervise import run_workers, scratch_folder

_WORDS = sys.argv[1:] if Path(sys.argv[0]).stem == "tone_worker" else ["", "", "", ""]
BROKER, NAME, STORE, DAMAGE = _WORDS


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
        )
        # As `voxmatrix_entrypoint.launch` does for the command.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            run_workers([settings])
