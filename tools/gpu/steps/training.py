"""The loop of a training: speed, utilisation, memory, waits of the host, launches; a trace in trace.json.gz."""

import gzip
import json
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.profiler import ProfilerActivity, profile

from tools.gpu.check import Check
from tools.gpu.measuring import Utilisation, kernel_figures, wait
from voxmatrix.train.monitor.progress import QuietProgress
from voxmatrix.train.run import Run
from voxmatrix.train.step.stepper import Stepper
from voxmatrix.train.stop import StopRequest

_WATCHED, _PROFILED = 5, 3
_OF_THE_GPU = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime"})


class _Step(NamedTuple):
    """Seconds of the host for one step, and its clips and samples."""

    waited: float  # for the loader
    took: float
    clips: int
    samples: int
    mel: torch.Tensor


def measure(check: Check) -> dict[str, Any]:
    """Train with the real loader."""
    run = check.open_training("run-loop")
    step = _stepper(run)
    began = time.perf_counter()
    step()
    wait()
    first = time.perf_counter() - began
    count, warm = (2, 0) if check.cpu else (80, 80)
    for _ in range(warm):
        step()
    wait()
    if not check.cpu:
        torch.cuda.reset_peak_memory_stats()
    with Utilisation() as utilisation:
        began = time.perf_counter()
        steps = [step() for _ in range(count)]
        host = time.perf_counter() - began
        wait()
        wall = time.perf_counter() - began
    rate, quarter = run.state.recipe.rate_hz, max(1, count // 4)
    mels = [float(one.mel) for one in steps]
    found = {
        "first_step_seconds": round(first, 2),
        "precision": run.plan.precision.value,
        "loading_workers": run.loader.workers,
        "batch": check.batch,
        "steps_per_second": round(count / wall, 2),
        "clips_per_second": round(sum(one.clips for one in steps) / wall, 1),
        "padded_audio_seconds_per_second": round(sum(one.samples for one in steps) / rate / wall, 1),
        "step_ms": round(1000 * wall / count, 2),
        "host_ms": round(1000 * host / count, 2),
        "wait_for_loader_ms": round(1000 * statistics.mean(one.waited for one in steps), 2),
        "mel_first_last": [round(statistics.mean(part), 3) for part in (mels[:quarter], mels[-quarter:])],
        **utilisation.figures(),
    }
    return found if check.cpu else {**found, **_memory(run), **_waits(step), **_profile(check, step)}


def _stepper(run: Run) -> Callable[[], _Step]:
    stepper = Stepper(run=run, progress=QuietProgress(), stop=StopRequest())
    stepper.set_rate()
    steps = run.loader.steps_from(0, 0)

    def step() -> _Step:
        began = time.perf_counter()
        plan, batches = next(steps)
        loaded = time.perf_counter()
        losses = stepper.take(plan, batches)
        took = time.perf_counter() - loaded
        clips, samples = sum(one.size.clips for one in batches), sum(one.padded_samples for one in batches)
        return _Step(loaded - began, took, clips, samples, losses["mel"].detach().clone())

    return step


def _memory(run: Run) -> dict[str, Any]:
    return {
        "peak_allocated_mib": torch.cuda.max_memory_allocated() >> 20,
        "peak_reserved_mib": torch.cuda.max_memory_reserved() >> 20,
        "plan_says": run.plan.batch_size.reason,
    }


def _waits(step: Callable[[], object]) -> dict[str, Any]:
    """Where the host waits for the GPU."""
    torch.cuda.set_sync_debug_mode("warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(_WATCHED):
            step()
    torch.cuda.set_sync_debug_mode("default")
    places = Counter(f"{one.filename}:{one.lineno}" for one in caught if "synchroniz" in str(one.message))
    return {"waits_per_step": sum(places.values()) / _WATCHED, "waits": places.most_common(8)}


def _profile(check: Check, step: Callable[[], object]) -> dict[str, Any]:
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        for _ in range(_PROFILED):
            step()
        wait()
    path = check.work / "trace.json"
    profiler.export_chrome_trace(str(path))
    trace = json.loads(path.read_text(encoding="utf-8"))
    figures = kernel_figures(trace)
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") in _OF_THE_GPU]
    with gzip.open(check.out / "trace.json.gz", "wt", encoding="utf-8") as file:
        json.dump(trace, file)
    return {f"profiled_{_PROFILED}_steps": figures}
