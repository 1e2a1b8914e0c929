"""Measure what gradient checkpointing saves and costs: the same step with and without it. Prints one JSON object.

Memory is the peak of a step without weights and optimisers, computed from shapes (tools/tables/memory_table.py). Time
is CPU time of one thread, interleaved.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

from tools.tables.memory_table import MIB, make_step, peak_bytes
from voxmatrix.tables.quality import quality
from voxmatrix_entrypoint import patches

SECONDS, CLIPS = 6.0, 2


def main() -> None:
    """Measure `tiny` and `medium`, in fp32 and bf16."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    patches.install()
    torch.set_num_threads(1)
    figures: dict[str, Any] = {"setting": f"{CLIPS} clips of {SECONDS:g} s, one step, one thread"}
    for name in ("tiny", "medium"):
        for precision, half in (("fp32", False), ("bf16", True)):
            figures[f"{name} {precision}"] = _memory(name, half) | (_time(name, rounds) if not half else {})
    print(json.dumps(figures))


def _memory(name: str, half: bool) -> dict[str, float]:
    """The peak memory of the whole step, and of one clip in it."""
    one, two = (
        [peak_bytes(quality(name), SECONDS, clips, half=half, checkpointing=on) / MIB for on in (False, True)]
        for clips in (CLIPS, 2 * CLIPS)
    )
    without, with_it = ((more - less) / CLIPS for less, more in zip(one, two, strict=True))
    return {
        "peak_mib_without": round(one[0]),
        "peak_mib_with": round(one[1]),
        "mib_a_clip_without": round(without, 1),
        "mib_a_clip_with": round(with_it, 1),
        "memory_ratio_of_a_clip": round(with_it / without, 3),
    }


def _time(name: str, rounds: int) -> dict[str, float]:
    steps = [make_step(quality(name), SECONDS, CLIPS, half=False, checkpointing=on) for on in (False, True)]
    for step in steps:
        step()  # warm-up: start threads, fill the caches of the convolutions
    ratios = []
    for _ in range(rounds):
        without, with_it = (_cpu_seconds(step) for step in steps)
        ratios.append(with_it / without)
    return {"cpu_time_ratio": round(statistics.median(ratios), 3)}


def _cpu_seconds(step: Callable[[], None]) -> float:
    began = time.process_time()
    step()
    return time.process_time() - began


if __name__ == "__main__":
    main()
