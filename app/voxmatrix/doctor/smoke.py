"""The smoke test: run all operations in a child process and read its output.

Passed tests are cached by image, torch, GPU and driver, so that the next start does not wait for one.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import voxmatrix
from voxmatrix.compute.child import json_objects, place, run_child
from voxmatrix.errors import UnreachableError
from voxmatrix.files import write_text
from voxmatrix.machine.facts import Gpu, Machine

#: Starting CUDA and loading all libraries from a cold disk takes a minute; a kernel may hang forever.
LIMIT_SECONDS = 180.0


@dataclass(frozen=True, kw_only=True)
class OperationResult:
    """The result of one operation. `gpu` is None on the CPU; the figures are None if it did not finish."""

    gpu: int | None
    op: str
    dtype: str
    ok: bool
    max_abs_error: float | None
    milliseconds: float | None
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """The object in `doctor --json`."""
        return {key: value for key, value in asdict(self).items() if key != "problem"}


@dataclass(frozen=True, kw_only=True)
class SmokeResult:
    """The result of a smoke test on one device; `flash` is None if flash-attn was not reached."""

    results: tuple[OperationResult, ...]
    flash: tuple[bool, str] | None = None  # usable, reason

    @property
    def ok(self) -> bool:
        """Whether all operations ran with the same results as on the CPU."""
        return bool(self.results) and all(result.ok for result in self.results)


def run_smoke(
    gpu: Gpu | None, dtypes: Sequence[str] = ("float32",), limit_seconds: float = LIMIT_SECONDS
) -> SmokeResult:
    """Run all operations on this GPU (None: the CPU) in a child process, for at most `limit_seconds`."""
    placement = place(gpu)
    arguments = ["-m", "voxmatrix.doctor.child", placement.device, *dtypes]
    child = run_child(arguments, placement.environment, limit_seconds)
    return read_lines(child.stdout, None if gpu is None else gpu.index, child.failure)


def read_lines(text: str, gpu: int | None, failure: str) -> SmokeResult:
    """Parse the output of a child. `failure` (or "") is attributed to the operation that was running."""
    results: list[OperationResult] = []
    flash: tuple[bool, str] | None = None
    running: dict[str, str] | None = {"started": "python", "dtype": "float32"}
    for row in json_objects(text):
        if "started" in row:
            running = row
        elif "flash_attention" in row:
            running, flash = None, (row["flash_attention"]["usable"], row["flash_attention"]["reason"])
        elif "op" in row:
            running = None
            results.append(OperationResult(gpu=gpu, **{"problem": "" if row["ok"] else _WRONG, **row}))
    if failure and running is not None:
        if running["started"] == "flash-attn":  # optional: the GPU can be used without it
            return SmokeResult(results=tuple(results), flash=(False, failure))
        results.append(_failed(gpu, running, failure))
    return SmokeResult(results=tuple(results), flash=flash)


_WRONG = "the result differs from the CPU's"


def _failed(gpu: int | None, running: dict[str, str], failure: str) -> OperationResult:
    return OperationResult(
        gpu=gpu,
        op=running["started"],
        dtype=running["dtype"],
        ok=False,
        max_abs_error=None,
        milliseconds=None,
        problem=failure,
    )


def cached_smoke(
    folder: Path, machine: Machine, gpu: Gpu | None, dtypes: Sequence[str], run: Callable[[], SmokeResult]
) -> SmokeResult:
    """The cached result for this configuration, or that of `run`, which is cached if it passed."""
    path = folder / "smoke" / f"{_key(machine, gpu, dtypes)}.json"
    cached = _read(path)
    if cached is not None:
        return cached
    smoke = run()
    if smoke.ok:
        try:
            write_text(path, json.dumps(asdict(smoke)))
        except (UnreachableError, OSError):
            return smoke  # only costs time on the next start
    return smoke


def _key(machine: Machine, gpu: Gpu | None, dtypes: Sequence[str]) -> str:
    device = [machine.cpu] if gpu is None else [gpu.kind, gpu.index, gpu.uuid, gpu.name, gpu.driver]
    torch = machine.torch.version if machine.torch else None
    facts = [voxmatrix.__version__, machine.image, torch, machine.flash_attention, *device, *dtypes]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


def _read(path: Path) -> SmokeResult | None:
    """The cached result; None if there is none or it cannot be parsed."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        flash = content["flash"] and (bool(content["flash"][0]), str(content["flash"][1]))
        smoke = SmokeResult(results=tuple(OperationResult(**row) for row in content["results"]), flash=flash)
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return None
    return smoke if smoke.ok else None
