"""What everything around a voice costs: sentences per second with a voice that costs nothing, and memory.

Alone with two worker processes, and through Celery and Redis with one worker. All files, those of the Redis server too,
are in --folder, by default in memory: a disk that others use is what would be measured. Memory is that of the job's
process, at a tenth of --long sentences and at their end.
"""

import argparse
import json
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from tools.bench.books.cluster import TimedJob, free_workers, redis_server, sentences, timed_job
from tools.bench.books.free_voice import environment, voice_file
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Runtime, Style
from voxmatrix.work.cluster.celery_executor import CeleryExecutor
from voxmatrix.work.job import JobProgress
from voxmatrix.work.local_executor import LocalExecutor


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=5000)
    parser.add_argument("--long", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"))
    args = parser.parse_args()
    os.environ |= environment()  # for worker processes
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-", dir=args.folder) as name:
        folder = Path(name)
        voice = voice_file(folder)
        figures: dict[str, Any] = {
            "setting": f"{args.sentences} sentences, in {args.folder}, {len(os.sched_getaffinity(0))} cores",
            "alone_per_second": _rate(alone(folder / "alone", voice, args.sentences)),
            "through_celery_and_redis_per_second": _rate(clustered(folder, voice, args.sentences)),
        }
        figures |= memory(folder / "long", voice, args.long)
        figures["load_average"] = round(os.getloadavg()[0], 1)
        figures["wanted"] = "at least 500 alone and 200 through Celery and Redis; flat memory"
    print(json.dumps(figures))


def alone(folder: Path, voice: VoiceCard, count: int, progressed: Any = None) -> TimedJob:
    """With two worker processes of this computer."""

    def start(incoming: Path) -> LocalExecutor:
        return LocalExecutor(voice, Style(), incoming, Runtime(threads=1), workers=2)

    return timed_job(folder, sentences(voice, count), start, progressed)


def clustered(folder: Path, voice: VoiceCard, count: int) -> TimedJob:
    """With one worker of a cluster on this computer."""
    with redis_server(folder / "redis") as broker, free_workers(broker, [0.0]):
        return timed_job(folder / "cluster", sentences(voice, count), partial(CeleryExecutor, broker, voice))


def memory(folder: Path, voice: VoiceCard, count: int) -> dict[str, Any]:
    """Resident memory of the job's process, in MiB."""
    process = psutil.Process()
    seen: dict[int, float] = {}

    def progressed(progress: JobProgress) -> None:
        tenth = progress.done * 10 // progress.total
        seen.setdefault(tenth, process.memory_info().rss / 2**20)

    alone(folder, voice, count, progressed)
    return {f"memory_mib_over_{count}_sentences": {"at_a_tenth": round(seen[1]), "at_the_end": round(seen[10])}}


def _rate(job: TimedJob) -> int:
    return round(job.units / job.seconds)


if __name__ == "__main__":
    main()
