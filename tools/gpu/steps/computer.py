"""The computer: versions, the GPU, and its ceilings."""

import os
import shutil
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from tools.gpu.check import Check
from tools.gpu.measuring import seconds_of
from tools.gpu.programs import run

_PACKAGES = ("torch", "torchaudio", "triton", "lightning", "numpy", "onnx", "onnxruntime", "typer", "pydantic", "rich")
_PROGRAMS = ("gcc", "ffmpeg", "redis-server", "espeak-ng", "nvcc")
_QUERY = "name,driver_version,memory.total,memory.free,clocks.sm,clocks.max.sm,power.limit,mig.mode.current"
_MATRIX, _COPIED = 8192, 1 << 30


def measure(check: Check) -> dict[str, Any]:
    """Versions, and on a GPU: bf16 matrix products, a copy, and the cost of a launch."""
    found: dict[str, Any] = {"cpus": os.cpu_count(), "programs": {name: shutil.which(name) for name in _PROGRAMS}}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    found["memory_kib"] = Path("/proc/meminfo").read_text(encoding="ascii").split()[1]
    found["shm_mib"] = shutil.disk_usage("/dev/shm").free >> 20
    return found if check.cpu else {**found, **_gpu()}


def _gpu() -> dict[str, Any]:
    properties = torch.cuda.get_device_properties(0)
    a, b = (torch.randn(_MATRIX, _MATRIX, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    product = seconds_of(lambda: a @ b, warm=3, count=10)
    source = torch.randn(_COPIED, device="cuda")
    target = torch.empty_like(source)
    copy = seconds_of(lambda: target.copy_(source), warm=2, count=10)
    one = torch.zeros(1, device="cuda")
    launch = seconds_of(lambda: one.add_(1), warm=100, count=2000)
    return {
        "name": properties.name,
        "capability": [properties.major, properties.minor],
        "nvidia_smi": run(["nvidia-smi", f"--query-gpu={_QUERY}", "--format=csv"], 20).out,
        "kernels_for": torch.cuda.get_arch_list(),
        "cudnn": torch.backends.cudnn.version(),  # type: ignore[no-untyped-call]
        "bf16_tflops": round(2 * _MATRIX**3 / product / 1e12),
        "copy_tb_per_second": round(2 * 4 * _COPIED / copy / 1e12, 2),
        "launch_us": round(1e6 * launch, 2),
    }
