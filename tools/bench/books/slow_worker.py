"""What a slow worker does to a book: two equal workers, and the same with a third that is 20 times slower.

Real workers, Celery and Redis; the voice only waits, so that two cores are enough for three workers. Interleaved runs.
"""

import argparse
import json
import statistics
import tempfile
from functools import partial
from pathlib import Path

from tools.bench.books.cluster import free_workers, redis_server, sentences, timed_job
from tools.bench.books.free_voice import voice_file
from voxmatrix.work.cluster.celery_executor import CeleryExecutor

FAST_SECONDS, SLOW_SECONDS = 0.1, 2.0
FLEETS = {"two": [FAST_SECONDS] * 2, "two_and_a_slow_one": [FAST_SECONDS, FAST_SECONDS, SLOW_SECONDS]}


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=800)
    args = parser.parse_args()
    taken: dict[str, list[float]] = {name: [] for name in FLEETS}
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        voice = voice_file(folder)
        for number in range(args.rounds):
            for fleet, seconds in FLEETS.items():
                place = folder / f"{fleet}-{number}"
                place.mkdir()
                with redis_server(place / "redis") as broker, free_workers(broker, seconds):
                    units, start = sentences(voice, args.sentences), partial(CeleryExecutor, broker, voice)
                    job = timed_job(place / "job", units, start)
                taken[fleet].append(job.seconds / job.units)
    two, three = (statistics.median(times) for times in taken.values())
    figures = {
        "setting": f"{args.sentences} sentences, {FAST_SECONDS} and {SLOW_SECONDS} s each, {args.rounds} rounds",
        "seconds": {fleet: [round(each * args.sentences, 1) for each in times] for fleet, times in taken.items()},
        "median_ratio": round(three / two, 3),
        "wanted": "at most 1.03",
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
