"""The child of a benchmark, started by `voxmatrix_entrypoint.child`; prints JSON lines.

It prints a line before and after each part, so that the parent knows in which one it hung or crashed.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from voxmatrix.bench import matmul, speak, train
from voxmatrix.bench.benchmarks import BenchPart
from voxmatrix.compute.child import send_json
from voxmatrix.compute.device import device_in_child
from voxmatrix.compute.memory import is_out_of_memory
from voxmatrix.errors import MemoryExhaustedError, MissingProgramError, NoDeviceError, NoKernelsError, VoxmatrixError
from voxmatrix.machine.facts import Gpu, Machine

#: CUDA's error if a library of torch has no kernels for the GPU.
_NO_KERNELS = "no kernel image is available"
_MAX_PROBLEM_CHARACTERS = 300
_BENCHMARKS: dict[str, tuple[Callable[..., Any], Callable[[Any, Gpu | None, Machine], list[BenchPart]]]] = {
    "matmul": (matmul.MatmulBench, matmul.parts),
    "speak": (speak.SpeakBench, speak.parts),
    "train": (train.TrainBench, train.parts),
}


def main(job: str) -> None:
    """Measure all parts of `job`, a JSON object."""
    task = json.loads(job)
    make, parts_of = _BENCHMARKS[task["benchmark"]]
    settings = make(**{name: tuple(value) if isinstance(value, list) else value for name, value in task["job"].items()})
    send_json({"started": ""})
    try:
        parts = parts_of(settings, *device_in_child(task["device"], task["name"]))
    except Exception as error:  # torch and drivers may raise anything, and that is a result
        send_json(_problem("", error))
        return
    for part in parts:
        send_json({"started": part.name})
        send_json(_measured(part))


def _measured(part: BenchPart) -> dict[str, Any]:
    try:
        return {"part": part.name, "figures": dict(part.measure())}
    except Exception as error:
        return _problem(part.name, error)


def _problem(name: str, error: Exception) -> dict[str, Any]:
    if isinstance(error, VoxmatrixError):
        text = f"{error.problem}\n{error.remedy}"
    else:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
    problem = "; ".join(text.splitlines())[:_MAX_PROBLEM_CHARACTERS]
    return {"part": name, "problem": problem, "exit_code": _exit_code(error)}


def _exit_code(error: Exception) -> int:
    if isinstance(error, VoxmatrixError):
        return error.exit_code
    if is_out_of_memory(error):
        return MemoryExhaustedError.exit_code
    if isinstance(error, ImportError):
        return MissingProgramError.exit_code
    return NoKernelsError.exit_code if _NO_KERNELS in str(error) else NoDeviceError.exit_code


if __name__ == "__main__":
    main(sys.argv[1])
