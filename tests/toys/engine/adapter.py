"""An engine that speaks in tones, one for each word, with the standard library alone."""

import array
import math
import os
import random
import resource
import signal
import sys
import time
import zlib
from pathlib import Path

RATE = 16000
#: VOXMATRIX_HOME, in which an engine has a folder and no more.
HOME = Path(__file__).parents[2]
#: Beside this file, if it skips words.
SKIPPED = Path(__file__).with_name("SKIPPED")


class Engine:
    def __init__(self, request):
        self.opened = {"rate": RATE, "voices": [], "memory": 1, "attention": request["attention"]}
        self.weights = request["weights"]

    def speak(self, request, references, emit):
        print("noise on the output" * 100)
        noise = random.Random(request["seed"])
        turns = request.get("turns") or [["", request["text"]]]
        speakers = list(dict.fromkeys(who for who, _ in turns))
        for who, word in [(who, word) for who, text in turns for word in text.split()]:
            heard = references[speakers.index(who)] if references else None
            pitch = request["knobs"].get("pitch", 1) * (1.1 if heard else 1)
            if word == "SLOW":
                for _ in range(600):
                    emit(array.array("f"))
                    time.sleep(0.05)
            elif word == "CRASH":
                os.kill(os.getpid(), signal.SIGKILL)
            elif word == "FAIL":
                raise RuntimeError("this word cannot be spoken\x1b[2J")
            elif word == "MEMORY":
                resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
                bytearray(2**30)
            elif word == "HANG":
                time.sleep(3600)
            elif word == "EXIT":
                sys.stderr.write("the driver is gone\n")
                sys.exit(3)
            elif word == "MOODY" and request["seed"] % 2 == 0:
                raise RuntimeError("not with this seed")
            elif word == "FOREVER" or (word == "RESTLESS" and request["seed"] % 2 == 0):
                while True:
                    emit(array.array("f", [0.1] * RATE))
            elif word == "PEEK":
                if (HOME / "keys.txt").read_bytes() or (HOME / "new").write_bytes(b"new"):
                    raise RuntimeError("nothing stops an engine")
            elif word == "CHILD":
                os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "3600")
            elif self._is_skipped(word, request["seed"]):
                continue
            count = round(RATE * (0.04 + 0.02 * len(word)) / request["speed"])
            step = 2 * math.pi * 200 * pitch * (1 + zlib.crc32(word.encode()) % 100 / 100) / RATE
            emit(array.array("f", [0.2 * math.sin(step * n) + 0.005 * noise.random() for n in range(count)]))
        return {"truncated": False}

    def _is_skipped(self, word, seed):
        """Some engines skip words with some seeds."""
        skipped = SKIPPED.read_text().split() if SKIPPED.exists() else ()
        return word.strip(".").lower() in skipped and (seed or 0) % 2 == 0


def open(request):
    if any(not Path(folder).is_dir() for folder in request["weights"].values()):
        raise OSError("no such weights")
    return Engine(request)
