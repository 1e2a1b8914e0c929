"""The figures of a check that people compare, as a table."""

import json
from collections.abc import Mapping
from typing import Any

#: What it says, and where it is in results.json.
_ROWS = (
    ("GPU", "computer.name"),
    ("bf16 matrix products, TFLOP/s", "computer.bf16_tflops"),
    ("copy, TB/s", "computer.copy_tb_per_second"),
    ("a launch, microseconds", "computer.launch_us"),
    ("training, steps per second", "training.steps_per_second"),
    ("training, clips per second", "training.clips_per_second"),
    ("training, GPU busy by NVML, %", "training.nvml_gpu_percent"),
    ("training, share of the time with a kernel (profiled)", "training.profiled_3_steps.gpu_busy_share"),
    ("training, launches of 3 steps", "training.profiled_3_steps.kernel_launches"),
    ("training, waits of the host per step", "training.waits_per_step"),
    ("training, peak MiB", "training.peak_reserved_mib"),
    ("Piper's trainer, default, clips per second", "piper.default.clips_per_second"),
    ("Piper's trainer, best, clips per second", "piper.best.clips_per_second"),
    ("train command, speed shown", "train_command.last_speed_shown"),
    ("train command, speed by the clock", "train_command.steps_per_second_by_the_clock"),
    ("resume: difference of two undisturbed runs", "resume.relative_difference_AB"),
    ("resume: difference of a killed one", "resume.relative_difference_AC"),
    ("speech, 180 symbols, ms", "speech.180 symbols.median_ms"),
    ("server, first byte alone, ms", "server.alone_first_byte_ms"),
    ("server, 64 clients, seconds of speech per second", "server.64_clients_seconds_of_speech_per_second"),
    ("server, 64 clients, 95 % of first bytes within, ms", "server.64_clients_first_byte_ms_95"),
    ("cluster, GPU and CPU worker, times the GPU alone", "cluster.times_as_fast"),
    ("tests that need a GPU, exit code", "gpu_tests.exit"),
)


def figures(results: Mapping[str, Any]) -> dict[str, Any]:
    """The figures by what they say; those that were not measured are left out."""
    found = {what: _at(results, path.split(".")) for what, path in _ROWS}
    training, piper = results.get("training", {}), results.get("piper", {})
    for name in ("default", "best"):
        ours, theirs = training.get("clips_per_second"), piper.get(name, {}).get("clips_per_second")
        found[f"training, times Piper's {name}"] = round(ours / theirs, 2) if ours and theirs else None
    return {what: figure for what, figure in found.items() if figure is not None}


def table(results: Mapping[str, Any]) -> str:
    """The figures, a line each, and the steps that failed."""
    lines = [f"{what:55} {json.dumps(figure)}" for what, figure in figures(results).items()]
    failed = [name for name, result in results.items() if "failed" in result]
    return "\n".join([*lines, *(f"failed: {name}" for name in failed)]) + "\n"


def _at(results: Mapping[str, Any], path: list[str]) -> Any:
    found: Any = results
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found
