"""Books with a voice that computes: `book` beside `speak --batch`, and two workers of a cluster beside one.

A medium voice with random weights, as speak_beside_piper.py makes it, and sentences of the samples. `book` and
`speak --batch` are whole command lines with two voices at once; the book is also encoded and joined. The workers have a
thread each, and the time runs from the first sentence on. Interleaved runs.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tools.bench.books.cluster import PROGRAM, await_workers, redis_server, timed_job, worker
from tools.bench.speak_beside_piper import make_voice, timed
from voxmatrix.models.style import Style
from voxmatrix.text.prompts import sentence_list
from voxmatrix.voices.resolve import resolve
from voxmatrix.work.cluster.celery_executor import CeleryExecutor
from voxmatrix.work.unit import unit_of


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=400)
    args = parser.parse_args()
    read = sentence_list("harvard")
    texts = [f"Number {number}: {read[number % len(read)]}" for number in range(args.sentences)]
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        voice = make_voice("medium", folder)
        (folder / "texts.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        (folder / "book.txt").write_text("\n\n".join(texts) + "\n", encoding="utf-8")
        ways: dict[str, Callable[[Path], float]] = {
            "batch": partial(_batch, voice, folder / "texts.txt"),
            "book": partial(_book, voice, folder / "book.txt"),
            "one_worker": partial(_cluster, voice, texts, 1),
            "two_workers": partial(_cluster, voice, texts, 2),
        }
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(args.rounds):
            for way, run in ways.items():
                place = folder / f"{way}-{number}"
                place.mkdir()
                seconds[way].append(run(place))
                print(f"  {way}: {seconds[way][-1]:.1f} s", file=sys.stderr, flush=True)
    print(json.dumps(_figures(seconds, args.sentences)))


def _figures(seconds: dict[str, list[float]], count: int) -> dict[str, object]:
    median = {way: statistics.median(each) for way, each in seconds.items()}
    return {
        "setting": f"medium, {count} sentences, {len(os.sched_getaffinity(0))} cores",
        "seconds": {way: [round(one, 1) for one in each] for way, each in seconds.items()},
        "book_beside_batch": round(median["book"] / median["batch"], 3),
        "two_workers_beside_one": round(median["one_worker"] / median["two_workers"], 3),
        "wanted": "book at most 1.05 times as long as the batch; two workers at least 1.8 times as fast as one",
    }


def _batch(voice: Path, texts: Path, place: Path) -> float:
    return _command("speak", "--batch", texts, "--out", place / "out", "--voice", voice)


def _book(voice: Path, book: Path, place: Path) -> float:
    copy = shutil.copy(book, place)  # of the same file, nothing is spoken twice
    return _command("book", copy, "--out", place / "book.m4b", "--voice", voice)


def _command(*words: str | Path) -> float:
    return timed([*PROGRAM, *map(str, words), "--threads", "1", "--parallel-voices", "2"]).seconds


def _cluster(voice: Path, texts: list[str], workers: int, place: Path) -> float:
    card = resolve(voice)
    digest = card.digest
    units = [unit_of(text, digest, Style()) for text in texts]
    with redis_server(place / "redis") as broker, _workers(broker, workers):
        job = timed_job(place / "job", units, partial(CeleryExecutor, broker, card))
    return job.seconds / job.units * len(units)


@contextmanager
def _workers(broker: str, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for number in range(count):
            stack.enter_context(worker(broker, number))
        await_workers(broker, count)
        yield


if __name__ == "__main__":
    main()
