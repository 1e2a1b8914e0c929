"""The memory of a training: measured peaks beside the plan's estimate."""

import gc
from functools import partial
from typing import Any

import torch

from tools.gpu.check import Check, attempt
from tools.gpu.programs import run
from tools.gpu.steps.variants import synthetic
from voxmatrix.plan.budget import Need
from voxmatrix.tables.quality import qualities
from voxmatrix.tables.training import memory_table

_SECONDS = 6.0
_USED = ("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits")


def measure(check: Check) -> dict[str, Any]:
    """Three steps of each quality, in both precisions, with 8 and 32 clips."""
    found: dict[str, Any] = {}
    if check.cpu:
        return found
    found["used_before_mib"] = _used_mib()
    for name in qualities():
        for precision in ("bf16", "fp32"):
            for clips in (8, 32):
                key = f"{name}, {precision}, {clips} clips of {_SECONDS:g} s"
                found[key] = attempt(partial(_peak, check, name, precision, clips))
                gc.collect()
                torch.cuda.empty_cache()
    return found


def _peak(check: Check, name: str, precision: str, clips: int) -> dict[str, Any]:
    torch.cuda.reset_peak_memory_stats()
    one = synthetic(check, clips, _SECONDS, precision, name)
    for _ in range(3):
        one.step()
    torch.cuda.synchronize()
    table = memory_table()
    need = Need(row=table.qualities[name], table=table, seconds=_SECONDS, half=precision == "bf16")
    used, estimate = _used_mib(), need.mib(clips, False)
    return {
        "allocated_mib": torch.cuda.max_memory_allocated() >> 20,
        "reserved_mib": torch.cuda.max_memory_reserved() >> 20,
        "used_mib": used,
        "estimate_mib": round(estimate),
        "estimate_to_used": round(estimate / used, 2),
    }


def _used_mib() -> int:
    return int(run(_USED, 10).out.split()[0])
