"""An engine whose end of the wire is broken: `FAULT` beside it says how."""

import os
import runpy
import signal
import struct
import sys
import time
from pathlib import Path

wire = runpy.run_path(sys.argv[2], run_name="wire")  # -Iu wire.py adapter name
encode, read_frame = wire["encode"], wire["read_frame"]
requests, answers = (int(os.environ[name]) for name in (wire["IN_VARIABLE"], wire["OUT_VARIABLE"]))
fault = Path(__file__).with_name("FAULT").read_text()


def send(head, body=b""):
    os.write(answers, encode(head, body))


def receive():
    return read_frame(lambda size: os.read(requests, size) if size else b"")


if fault == "late":
    time.sleep(3600)
send({"type": "hello", "protocol": 2 if fault == "protocol" else 1, "engine": "toy", "versions": {"torch": "2.4.1"}})
receive()
if fault == "weights":
    send({"type": "error", "id": None, "kind": "weights", "message": "the header is wrong"})
    receive()
send({"type": "opened", "rate": 16000})
if fault == "deaf":
    time.sleep(3600)
number = receive().head["id"]
if fault == "random":
    os.write(answers, Path(__file__).with_name("BYTES").read_bytes())
elif fault == "garbage":
    os.write(answers, b"Traceback (most recent call last):\n" * 10)
elif fault == "huge":
    os.write(answers, struct.pack("<II", 2**32 - 1, 2**32 - 4))
elif fault == "killed":
    os.write(answers, encode({"type": "audio", "id": number}, bytes(4000))[:1000])
    os.kill(os.getpid(), signal.SIGKILL)
elif fault == "half":
    os.write(answers, encode({"type": "audio", "id": number}, bytes(4000))[:1000])
    time.sleep(3600)
elif fault == "other":
    send({"type": "audio", "id": number + 1}, bytes(4))
elif fault == "empty":
    while True:
        send({"type": "audio", "id": number})
elif fault == "half a character":
    send({"type": "error", "id": number, "kind": "text", "message": "\ud800"})
elif fault == "long":
    send({"type": "audio", "id": "\x1b]0;title\a" + "9" * 100_000}, bytes(4))
elif fault == "count":
    send({"type": "audio", "id": number}, bytes(4))
    send({"type": "done", "id": number, "samples": 7})
elif fault == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        send({"type": "audio", "id": number}, bytes(64000))
        time.sleep(0.01)
time.sleep(3600)
