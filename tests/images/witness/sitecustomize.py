"""Mounted into a container and found by PYTHONPATH: every Python there writes down what it imports and opens.

Into a file of its own, /data/witness/PID, one JSON object a line. An audit hook sees every import and every file that
Python opens, of whatever code.
"""

import json
import os
import sys
from pathlib import Path

FOLDER = Path("/data/witness")
#: What takes seconds to import: whoever does it is written down.
HEAVY = ("torch", "onnxruntime")
#: Whatever lies here is a person's: recordings, voices, runs.
PLACES = ("/data/", "/recordings/")

FOLDER.mkdir(exist_ok=True)
_log = os.open(FOLDER / str(os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def _write(event: str, what: object) -> None:
    os.write(_log, (json.dumps({"event": event, "what": what}) + "\n").encode())


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event == "import" and arguments[0] in HEAVY:
        _write("import", arguments[0])
    elif event == "open" and str(arguments[0]).startswith(PLACES):
        _write("open", str(arguments[0]))


_write("start", {"parent": os.getppid(), "words": sys.orig_argv})
sys.addaudithook(_hear)
