"""Compare the server with Piper's own HTTP server: same ONNX, same threads, interleaved A B A B.

Measures the time to the first byte of a text of one and of twelve sentences beside the time of Piper's server for the
first sentence alone, which it sends as a whole; how much later than wav the first byte of mp3 and opus is, with the
system's ffmpeg and the bundled one; then the throughput with eight clients. CPU seconds depend little on other load.
Uses a medium voice with random weights, or --voice. Prints one JSON object.
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import psutil

from tools.bench.books.cluster import process
from tools.bench.speak_beside_piper import make_voice, write_sentences

CLIENTS = 8
EACH = 3
SENTENCES = 12
_START_SECONDS = 120
_CONTENT = {"Content-Type": "application/json"}


@dataclass(frozen=True, kw_only=True)
class Server:
    """A running server."""

    port: int
    process: psutil.Process

    def cpu_seconds(self) -> float:
        """CPU time so far, that of its child processes included."""
        processes = (self.process, *self.process.children(recursive=True))
        times = [one.cpu_times() for one in processes]
        return float(sum(one.user + one.system for one in times))

    def ask(self, path: str, body: dict[str, Any], *, whole: bool) -> float:
        """Send a request; the seconds until its first byte or its end. A client that has the first byte leaves."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        started = time.perf_counter()
        connection.request("POST", path, json.dumps(body), _CONTENT)
        answer = connection.getresponse()
        received = answer.read() if whole else answer.read(1)
        seconds = time.perf_counter() - started
        connection.close()
        if answer.status != http.HTTPStatus.OK or not received:
            raise SystemExit(f"port {self.port} answered {answer.status}: {received[:200]!r}")
        return seconds


def main() -> None:
    """Run both servers and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of single requests")
    parser.add_argument("--busy-rounds", type=int, default=3, help=f"rounds with {CLIENTS} clients")
    parser.add_argument("--voice", type=Path, help="an ONNX voice to use instead of random weights")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        voice = args.voice or make_voice("medium", folder)
        sentences = write_sentences(SENTENCES, folder).read_text(encoding="utf-8").splitlines()
        with serving(ours(voice)) as server, serving(piper(voice)) as peer:
            figures = {
                "setting": f"{voice.stem}, ONNX, {len(os.sched_getaffinity(0))} threads",
                **first_bytes(server, peer, sentences, args.rounds),
                **encoded_first_bytes(voice, " ".join(sentences), args.rounds, folder),
                **throughput(server, peer, sentences, args.busy_rounds),
                "load_average": round(os.getloadavg()[0], 1),
                "wanted": "first byte at most 0.8 of Piper + 30 ms, throughput at least 1.4 times Piper's, "
                "mp3 and opus at most 0.15 s after wav",
            }
    print(json.dumps(figures, indent=1))


def ours(voice: Path) -> Callable[[int], list[str]]:
    """The command line of voxmatrix."""
    command = [sys.executable, "-m", "voxmatrix_entrypoint", "serve", "--voice", str(voice), "--device", "cpu"]
    return lambda port: [*command, "--port", str(port)]


def piper(voice: Path) -> Callable[[int], list[str]]:
    """The command line of Piper's server."""
    command = [sys.executable, "-m", "piper.http_server", "-m", str(voice), "--host", "127.0.0.1", "--port"]
    return lambda port: [*command, str(port)]


@contextmanager
def serving(command: Callable[[int], list[str]], environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server that answers, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with process(command(port), environment) as started:
        wait_for(port)
        yield Server(port=port, process=psutil.Process(started.pid))


def wait_for(port: int) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/info")
            connection.getresponse().read()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def speech(text: str, name: str = "wav") -> tuple[str, dict[str, Any]]:
    """A request to our server."""
    return "/v1/audio/speech", {"model": "tts-1", "voice": "alloy", "input": text, "response_format": name}


def first_bytes(server: Server, peer: Server, sentences: list[str], rounds: int) -> dict[str, Any]:
    """Times to the first byte."""
    text, first = " ".join(sentences), sentences[0]
    asked: dict[str, Callable[[], float]] = {
        "ours_of_twelve": lambda: server.ask(*speech(text), whole=False),
        "piper_first_sentence": lambda: peer.ask("/synthesize", {"text": first}, whole=True),
        "ours_of_one": lambda: server.ask(*speech(first), whole=False),
    }
    medians = interleaved(asked, rounds)
    wanted = 0.8 * medians["piper_first_sentence"] + 0.03
    return {
        **{f"first_byte_seconds_{name}": round(seconds, 3) for name, seconds in medians.items()},
        "first_byte_of_twelve_to_limit": round(medians["ours_of_twelve"] / wanted, 2),
        "first_byte_of_twelve_to_that_of_one": round(medians["ours_of_twelve"] / medians["ours_of_one"], 2),
    }


def encoded_first_bytes(voice: Path, text: str, rounds: int, folder: Path) -> dict[str, Any]:
    """How much later than wav the first byte of other formats is, in seconds, with each ffmpeg."""
    (folder / "ffmpeg").symlink_to(imageio_ffmpeg.get_ffmpeg_exe())
    paths = {"bundled": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    if shutil.which("ffmpeg"):
        paths = {"system": os.environ["PATH"], **paths}
    figures = {}
    for which, path in paths.items():
        with serving(ours(voice), {"PATH": path}) as server:
            asked = {name: partial(server.ask, *speech(text, name), whole=False) for name in ("wav", "mp3", "opus")}
            medians = interleaved(asked, rounds)
        for name in ("mp3", "opus"):
            late = medians[name] - medians["wav"]
            figures[f"first_byte_seconds_{name}_after_wav_with_{which}_ffmpeg"] = round(late, 3)
    return figures


def interleaved(asked: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of each, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in asked}
    for number in range(rounds + 1):
        for name, ask in asked.items():
            seconds = ask()
            time.sleep(0.5)  # what the client left behind ends
            if number:  # the first round warms up
                taken[name].append(seconds)
    return {name: statistics.median(times) for name, times in taken.items()}


def throughput(server: Server, peer: Server, sentences: list[str], rounds: int) -> dict[str, Any]:
    """Sentences per second with several clients, and CPU seconds per sentence."""
    asked: dict[str, tuple[Server, Callable[[str], float]]] = {
        "ours": (server, lambda text: server.ask(*speech(text), whole=True)),
        "piper": (peer, lambda text: peer.ask("/synthesize", {"text": text}, whole=True)),
    }
    rates: dict[str, list[float]] = {name: [] for name in asked}
    cpu: dict[str, list[float]] = {name: [] for name in asked}
    texts = [sentences[number % len(sentences)] for number in range(CLIENTS * EACH)]
    for _ in range(rounds):
        for name, (one, ask) in asked.items():
            used, started = one.cpu_seconds(), time.perf_counter()
            with ThreadPoolExecutor(CLIENTS) as clients:
                list(clients.map(ask, texts))
            rates[name].append(len(texts) / (time.perf_counter() - started))
            cpu[name].append((one.cpu_seconds() - used) / len(texts))
    rate, spent = ({name: statistics.median(found) for name, found in each.items()} for each in (rates, cpu))
    return {
        **{f"{CLIENTS}_clients_{name}_sentences_per_second": round(found, 2) for name, found in rate.items()},
        f"{CLIENTS}_clients_times_piper": round(rate["ours"] / rate["piper"], 2),
        f"{CLIENTS}_clients_times_piper_each_round": [
            round(a / b, 2) for a, b in zip(rates["ours"], rates["piper"], strict=True)
        ],
        "cpu_seconds_per_sentence_ratio": round(spent["ours"] / spent["piper"], 2),
    }


if __name__ == "__main__":
    main()
