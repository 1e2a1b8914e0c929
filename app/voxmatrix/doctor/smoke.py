"""The smoke test: a child runs every operation, and what it said is read."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from voxmatrix.compute.child import json_objects, place, run_child
from voxmatrix.machine.facts import Gpu

#: Starting CUDA and loading every library on a cold disk takes a minute; a kernel that hangs takes for ever.
LIMIT_SECONDS = 180.0


@dataclass(frozen=True, kw_only=True)
class OperationResult:
    """One operation. `gpu` is None on the CPU; figures are None where it did not come to an end."""

    gpu: int | None
    op: str
    dtype: str
    ok: bool
    max_abs_error: float | None
    milliseconds: float | None
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """As `doctor --json` shows it."""
        return {key: value for key, value in asdict(self).items() if key != "problem"}


@dataclass(frozen=True, kw_only=True)
class SmokeResult:
    """What a child found out on one device. flash is None where it was not reached."""

    results: tuple[OperationResult, ...]
    flash: tuple[bool, str] | None = None  # usable, reason

    @property
    def ok(self) -> bool:
        """Whether all operations ran and gave what the CPU gives."""
        return bool(self.results) and all(result.ok for result in self.results)


def run_smoke(
    gpu: Gpu | None, dtypes: Sequence[str] = ("float32",), limit_seconds: float = LIMIT_SECONDS
) -> SmokeResult:
    """Run every operation on this GPU (None: the CPU) in a child process, at most `limit_seconds` long."""
    where = place(gpu)
    words = ["-m", "voxmatrix.doctor.child", where.device, *dtypes]
    ended = run_child(words, where.environment, limit_seconds)
    return read_lines(ended.said, None if gpu is None else gpu.index, ended.ending)


def read_lines(text: str, gpu: int | None, ending: str) -> SmokeResult:
    """What a child said. `ending`: how it came to a bad end ("" when it did not) in the operation begun last."""
    results: list[OperationResult] = []
    flash: tuple[bool, str] | None = None
    begun: dict[str, str] | None = {"started": "python", "dtype": "float32"}
    for row in json_objects(text):
        if "started" in row:
            begun = row
        elif "flash_attention" in row:
            begun, flash = None, (row["flash_attention"]["usable"], row["flash_attention"]["reason"])
        elif "op" in row:
            begun = None
            results.append(OperationResult(gpu=gpu, **{"problem": "" if row["ok"] else _WRONG, **row}))
    if ending and begun is not None:
        if begun["started"] == "flash-attn":  # optional: it costs its own use, not the GPU's
            return SmokeResult(results=tuple(results), flash=(False, ending))
        results.append(_ended(gpu, begun, ending))
    return SmokeResult(results=tuple(results), flash=flash)


_WRONG = "its result differs from the CPU's"


def _ended(gpu: int | None, begun: dict[str, str], ending: str) -> OperationResult:
    return OperationResult(
        gpu=gpu,
        op=begun["started"],
        dtype=begun["dtype"],
        ok=False,
        max_abs_error=None,
        milliseconds=None,
        problem=ending,
    )
