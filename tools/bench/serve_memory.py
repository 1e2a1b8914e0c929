"""The memory of a server over many requests: every format and door, one voice, and clients that hang up.

After the first --settled requests and after all --requests of them, memory, threads and descriptors are compared. One
client, since each further one shifts the peak. Prints one JSON object.
"""

import argparse
import http.client
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tools.bench.serve import Server, ours, serving
from tools.bench.serve_load import holdings, memory_mib
from voxmatrix.voices.resolve import resolve

_FORMATS = ("wav", "mp3", "opus", "flac", "pcm", "aac")
_TEXTS = ("Hello there.", "It was five in the afternoon.", "How are you? This is a longer sentence.")
#: One client in this many hangs up after its first bytes.
_LEAVERS = 10
_JSON = {"Content-Type": "application/json"}


def main() -> None:
    """Run the server, ask, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--settled", type=int, default=200, help="requests before the first look")
    parser.add_argument("--voice", type=Path, help="a voice instead of the bundled one")
    args = parser.parse_args()
    answers: Counter[str] = Counter()
    with serving(ours(args.voice or resolve().path)) as server:
        looks = []
        for first, end in ((0, args.settled), (args.settled, args.requests)):
            for number in range(first, end):
                answers[ask(server, number)] += 1
            # What leavers left behind ends; the next request ends threads that were idle for ten seconds (anyio).
            time.sleep(12.0)
            ask(server, end)
            looks.append({"memory_mib": round(memory_mib(server), 1), **holdings(server)})
    before, after = looks
    figures = {
        f"after_{args.settled}": before,
        f"after_{args.requests}": after,
        "answers": dict(answers),
        "memory_ratio": round(after["memory_mib"] / before["memory_mib"], 3),
        "wanted": "memory at most 1.05 times; threads, files and processes equal",
    }
    print(json.dumps(figures, indent=1))


def ask(server: Server, number: int) -> str:
    """Send a request, and say what came of it."""
    method, path, body, headers = _request(number)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        if number % _LEAVERS == _LEAVERS - 1:
            answer.read(1)
            return "left"
        answer.read()
        return str(answer.status)
    finally:
        connection.close()


def _request(number: int) -> tuple[str, str, str | None, dict[str, str]]:
    """Method, path, body and headers of the request of this number: all formats at each door in turn."""
    text, name = _TEXTS[number % len(_TEXTS)], _FORMATS[number // 6 % len(_FORMATS)]
    speech: dict[str, Any] = {"model": "tts-1", "voice": "alloy", "input": text, "response_format": name}
    doors = (
        ("POST", "/v1/audio/speech", json.dumps(speech), _JSON),
        ("POST", "/v1/audio/speech", json.dumps({**speech, "stream_format": "sse"}), _JSON),
        ("POST", "/dev/captioned_speech", json.dumps(speech), _JSON),
        ("POST", "/synthesize", json.dumps({"text": text}), _JSON),
        ("POST", "/", text, {"Content-Type": "text/plain"}),
        ("POST", "/v1/audio/speech", json.dumps({**speech, "input": ""}), _JSON),
    )
    return doors[number % len(doors)]


if __name__ == "__main__":
    main()
