"""Sentences of a book over a worker on the GPU, and over that and one on the CPU. Needs redis-server and Celery."""

import importlib.util
import os
import shutil
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from tools.bench.books.cluster import await_workers, redis_server, timed_job, worker
from tools.gpu.check import Check
from voxmatrix.models.style import Style
from voxmatrix.text.prompts import sentence_list
from voxmatrix.voices.resolve import resolve
from voxmatrix.work.unit import unit_of

_SENTENCES, _FEW = 1200, 6


def measure(check: Check) -> dict[str, Any]:
    """Sentences per second of both."""
    missing = [name for name in ("celery", "redis") if importlib.util.find_spec(name) is None]
    if missing or shutil.which("redis-server") is None:
        return {"skipped": f"needs redis-server, and the packages {', '.join(missing) or 'celery and redis'}"}
    voice = check.voice()
    alone = _sentences_per_second(check, voice, [check.device])
    beside = _sentences_per_second(check, voice, [check.device, "cpu"])
    return {
        "gpu_sentences_per_second": round(alone, 1),
        "gpu_and_cpu_sentences_per_second": round(beside, 1),
        "times_as_fast": round(beside / alone, 2),
    }


def _sentences_per_second(check: Check, voice: Path, devices: list[str]) -> float:
    from voxmatrix.work.cluster.celery_executor import CeleryExecutor

    read, card = sentence_list("harvard"), resolve(voice)
    count = _FEW if check.cpu else _SENTENCES
    units = [unit_of(f"Number {n}: {read[n % len(read)]}", card.digest, Style()) for n in range(count)]
    folder = check.work / f"cluster-{len(devices)}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    threads = max(1, (os.cpu_count() or 1) // 2)
    with redis_server(folder / "redis") as broker, ExitStack() as workers:
        for number, device in enumerate(devices):
            workers.enter_context(worker(broker, number, device=device, threads=threads))
        await_workers(broker, len(devices))
        job = timed_job(folder / "job", units, partial(CeleryExecutor, broker, card))
    return job.units / job.seconds
