"""The server on the GPU: one client, then 64 at once."""

import http.client
import json
import socket
import statistics
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple

from tools.gpu.check import TEXTS, VOXMATRIX, Check
from tools.gpu.measuring import Utilisation
from tools.gpu.programs import kill, start

_CLIENTS, _EACH = 64, 4
_START_SECONDS = 60.0
_HEADER_BYTES, _SAMPLE_BYTES = 44, 2


class _Answer(NamedTuple):
    status: str
    first_byte: float  # seconds
    samples: int


def measure(check: Check) -> dict[str, Any]:
    """Serve the trained voice."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--voice", str(check.voice()), "--device", check.device, "--port", str(port), "--queue", "400"]
    process = start([*VOXMATRIX, "serve", *options], stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + _START_SECONDS
        while _ask(port).status != "200" and time.monotonic() < until and process.poll() is None:
            time.sleep(0.3)
        return {**_alone(port, 3 if check.cpu else 20), **_many(port, 4 if check.cpu else _CLIENTS), **_health(port)}
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        kill(process)


def _alone(port: int, count: int) -> dict[str, Any]:
    answers = [_ask(port) for _ in range(count)]
    return {"alone_first_byte_ms": round(1000 * statistics.median(one.first_byte for one in answers), 1)}


def _many(port: int, clients: int) -> dict[str, Any]:
    rate = _rate(port)
    with Utilisation() as utilisation, ThreadPoolExecutor(clients) as pool:
        began = time.perf_counter()
        answers = list(pool.map(lambda _: _ask(port), range(_EACH * clients)))
        seconds = time.perf_counter() - began
    good = sorted(one.first_byte for one in answers if one.status == "200")
    name = f"{clients}_clients"
    return {
        f"{name}_status": Counter(one.status for one in answers),
        f"{name}_first_byte_ms_median": round(1000 * statistics.median(good)) if good else None,
        f"{name}_first_byte_ms_95": round(1000 * good[int(0.95 * len(good))]) if good else None,
        f"{name}_seconds_of_speech_per_second": round(sum(one.samples for one in answers) / rate / seconds, 1),
        **utilisation.figures(),
    }


def _ask(port: int) -> _Answer:
    body = {"model": "tts-1", "voice": "alloy", "input": TEXTS[1], "response_format": "wav"}
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
    try:
        connection.request("POST", "/v1/audio/speech", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        start_of_it = answer.read(_HEADER_BYTES + 1)
        first = time.perf_counter() - began
        size = len(start_of_it) + len(answer.read())
    except (OSError, http.client.HTTPException) as error:
        return _Answer(type(error).__name__, 0.0, 0)
    finally:
        connection.close()
    samples = (size - _HEADER_BYTES) // _SAMPLE_BYTES if answer.status == http.HTTPStatus.OK else 0
    return _Answer(str(answer.status), first, samples)


def _rate(port: int) -> int:
    """The sampling rate, out of the header of a WAV file."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
    body = {"model": "tts-1", "voice": "alloy", "input": TEXTS[0], "response_format": "wav"}
    connection.request("POST", "/v1/audio/speech", json.dumps(body), {"Content-Type": "application/json"})
    header = connection.getresponse().read()
    connection.close()
    return int.from_bytes(header[24:28], "little")


def _health(port: int) -> dict[str, Any]:
    with suppress(OSError, ValueError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/health")
        return {"health": json.loads(connection.getresponse().read())}
    return {}
