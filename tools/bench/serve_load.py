"""Load the server: many requests, then many clients at once, and look at what it holds and how soon it is alive.

First `--requests` short texts by four clients: the memory (proportional share, child processes included) after the
last compared with that after `--settled`. Then 64 clients for `--seconds`, some of which leave in the middle: every
answer has to be complete or 429 with Retry-After, and /healthz is asked ten times a second by another process. Prints
one JSON object.
"""

import argparse
import base64
import http.client
import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import psutil

from tools.bench.serve import Server, ours, serving
from voxmatrix.speak.wav import HEADER_BYTES
from voxmatrix.voices.resolve import resolve

CLIENTS = 64
_FEW_CLIENTS = 4
_SHORT = "Hello there, number {}."
_LONGER = "The quick brown fox jumps over the lazy dog. " * 3
#: One in this many clients leaves when it has the first bytes.
_LEAVERS = 8
#: An encoder is a process and two pipes: one request in this many uses one.
_ENCODED = 20
_HOP = 256
_MIB = 2**20
_CONTENT = {"Content-Type": "application/json"}


def main() -> None:
    """Run the server, load it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000, help="short texts")
    parser.add_argument("--settled", type=int, default=500, help="short texts before the first look at the memory")
    parser.add_argument("--seconds", type=float, default=180.0, help=f"how long {CLIENTS} clients ask")
    parser.add_argument("--voice", type=Path, help="a voice instead of the bundled one")
    args = parser.parse_args()
    with serving(ours(args.voice or resolve().path)) as server:
        held = memory(server, args.settled, args.requests)
        before = holdings(server)
        loaded = load(server, args.seconds)
        time.sleep(3.0)  # what leavers left behind ends
        after = holdings(server)
    figures = {
        **held,
        **loaded,
        "threads_and_files_before_and_after": [before, after],
        "load_average": round(os.getloadavg()[0], 1),
        "wanted": "memory at most 1.05 times, nothing incomplete or refused without Retry-After, /healthz within 50 ms",
    }
    print(json.dumps(figures, indent=1))


def memory(server: Server, settled: int, requests: int) -> dict[str, Any]:
    """The memory of the server after `settled` requests, along the way, and after all of them."""
    numbers = iter(range(requests))

    def ask(amount: int) -> float:
        with ThreadPoolExecutor(_FEW_CLIENTS) as clients:
            list(clients.map(lambda _: _speak_short(server, next(numbers)), range(amount)))
        return memory_mib(server)

    first = ask(settled)
    steps = [ask(size) for size in _steps(requests - settled, 10)]
    return {
        "requests": requests,
        f"memory_mib_after_{settled}": round(first, 1),
        "memory_mib_along_the_way": [round(mib, 1) for mib in steps],
        "memory_ratio": round(steps[-1] / first, 3),
    }


def _steps(total: int, parts: int) -> Iterator[int]:
    for part in range(parts):
        yield total * (part + 1) // parts - total * part // parts


def _speak_short(server: Server, number: int) -> None:
    name = "mp3" if number % _ENCODED == 0 else "wav"
    answer = _post(server.port, {"input": _SHORT.format(number), "response_format": name})
    sound = answer.read()
    if answer.status != HTTPStatus.OK or not sound:
        raise SystemExit(f"request {number} was answered with {answer.status}: {sound[:200]!r}")


def memory_mib(server: Server) -> float:
    """Proportional memory of the server and its child processes."""
    total = 0
    for one in (server.process, *server.process.children(recursive=True)):
        try:
            total += one.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue  # an encoder that has just ended
    return float(total / _MIB)


def holdings(server: Server) -> dict[str, int]:
    """What a leaver could leave behind."""
    process = server.process
    return {
        "threads": process.num_threads(),
        "files": process.num_fds(),
        "processes": len(process.children(recursive=True)),
    }


def load(server: Server, seconds: float) -> dict[str, Any]:
    """What many clients got, and how soon the server said that it is alive."""
    until = time.time() + seconds
    with get_context("spawn").Pool(1) as pool, ThreadPoolExecutor(CLIENTS) as clients:
        alive = pool.apply_async(_probe, (server.port, until))
        got = sum(clients.map(lambda number: _client(server.port, number, until), range(CLIENTS)), Counter())
        times = sorted(alive.get())
    return {
        "clients": CLIENTS,
        "seconds": seconds,
        "answers": dict(got),
        "healthz_milliseconds": {
            name: round(1000 * times[min(len(times) - 1, int(share * len(times)))], 1)
            for name, share in (("median", 0.5), ("99 %", 0.99), ("most", 1.0))
        },
    }


def _probe(port: int, until: float) -> list[float]:
    """Seconds that /healthz took."""
    taken = []
    while time.time() < until:
        started = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        taken.append(time.perf_counter() - started)
        connection.close()
        time.sleep(0.1)
    return taken


def _client(port: int, number: int, until: float) -> Counter[str]:
    """Ask again and again; how often each thing happened."""
    got: Counter[str] = Counter()
    dice = random.Random(number)
    for turn in count():
        if time.time() >= until:
            return got
        try:
            got[_ask(port, events=turn % 2 == 0, leave=number % _LEAVERS == 0)] += 1
        except (OSError, http.client.HTTPException) as error:
            got[f"broken: {type(error).__name__}"] += 1
        time.sleep(dice.uniform(0.0, 0.2))
    return got


def _ask(port: int, *, events: bool, leave: bool) -> str:
    """One request, and what came of it."""
    body = {"input": _LONGER, "response_format": "wav", "stream_format": "sse" if events else "audio"}
    answer = _post(port, body)
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        later = answer.getheader("Retry-After") or ""
        return "429 with Retry-After" if later.isdecimal() and int(later) > 0 else "429 without Retry-After"
    if answer.status != HTTPStatus.OK:
        return f"status {answer.status}"
    if leave:
        answer.read(100)
        answer.close()
        return "left"
    sound = answer.read()  # raises IncompleteRead without a clean end
    return "complete" if _is_complete(sound, events=events) else "incomplete"


def _is_complete(sound: bytes, *, events: bool) -> bool:
    """Whether the audio is as long as the last event says; without events, longer than any part of the text."""
    if not events:
        return len(sound) > HEADER_BYTES + 2 * 16_000 * 4
    content = [json.loads(line.removeprefix(b"data: ")) for line in sound.split(b"\n\n") if line]
    *pieces, end = content
    if end["type"] != "speech.audio.done":
        return False
    samples = (sum(len(base64.b64decode(piece["audio"])) for piece in pieces) - HEADER_BYTES) // 2
    frames = int(end["usage"]["output_tokens"])
    return 0 <= samples - frames * _HOP < _HOP * _LONGER.count(".")


def _post(port: int, fields: dict[str, Any]) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("POST", "/v1/audio/speech", json.dumps({"model": "tts-1", "voice": "alloy", **fields}),
                       {**_CONTENT, "Connection": "close"})  # fmt: skip
    return connection.getresponse()


if __name__ == "__main__":
    main()
