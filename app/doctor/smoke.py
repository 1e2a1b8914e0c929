"""The smoke test: the child is started, watched, ended in time, and what it said is read."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.machine.facts import Gpu

#: Starting CUDA and loading every library on a cold disk takes a minute; a kernel that hangs takes for ever.
LIMIT_SECONDS = 180.0


@dataclass(frozen=True, kw_only=True)
class Result:
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
class Smoke:
    """What a child found out on one device. flash is None where it was not reached."""

    results: tuple[Result, ...]
    flash: tuple[bool, str] | None = None  # usable, reason

    @property
    def ok(self) -> bool:
        """Whether all operations ran and gave what the CPU gives."""
        return bool(self.results) and all(result.ok for result in self.results)


def run_smoke(gpu: Gpu | None, dtypes: Sequence[str] = ("float32",), limit_seconds: float = LIMIT_SECONDS) -> Smoke:
    """Run every operation on this GPU (None: the CPU) in a child process, at most `limit_seconds` long."""
    device, environment = _place(gpu)
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        command = [sys.executable, "-P", "-m", "app.doctor.child", device, *dtypes]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=complained, env=environment)
        try:
            code: int | None = child.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            child.kill()
            with suppress(subprocess.TimeoutExpired):  # stuck inside the driver: it is left behind, not waited for
                child.wait(5)
        said.seek(0)
        complained.seek(0)
        lines, last_words = said.read().decode("utf-8", "replace"), complained.read().decode("utf-8", "replace")
    return read_lines(lines, None if gpu is None else gpu.index, _ending(code, limit_seconds, last_words))


def _place(gpu: Gpu | None) -> tuple[str, dict[str, str]]:
    """The name of the device in the child, and the environment in which it has it."""
    # -P and this: the child imports the same app as we do, and no torch.py of the folder where a person stands.
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    if gpu is None:
        return "cpu", environment
    if gpu.kind == "cuda" and gpu.uuid:  # numbers depend on CUDA_VISIBLE_DEVICES and the order of the bus; this not
        return "cuda:0", {**environment, "CUDA_VISIBLE_DEVICES": gpu.uuid}
    return f"{gpu.kind}:{gpu.index}", {**environment, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def read_lines(text: str, gpu: int | None, ending: str) -> Smoke:
    """What a child said. `ending`: how it came to a bad end ("" when it did not) in the operation begun last."""
    results: list[Result] = []
    flash: tuple[bool, str] | None = None
    begun: dict[str, str] | None = {"started": "python", "dtype": "float32"}
    for line in text.splitlines():
        row = _parsed(line)
        if "started" in row:
            begun = row
        elif "flash_attention" in row:
            begun, flash = None, (row["flash_attention"]["usable"], row["flash_attention"]["reason"])
        elif "op" in row:
            begun = None
            results.append(Result(gpu=gpu, **{"problem": "" if row["ok"] else _WRONG, **row}))
    if ending and begun is not None:
        if begun["started"] == "flash-attn":  # optional: it costs its own use, not the GPU's
            return Smoke(results=tuple(results), flash=(False, ending))
        results.append(_ended(gpu, begun, ending))
    return Smoke(results=tuple(results), flash=flash)


_WRONG = "its result differs from the CPU's"


def _ended(gpu: int | None, begun: dict[str, str], ending: str) -> Result:
    return Result(
        gpu=gpu,
        op=begun["started"],
        dtype=begun["dtype"],
        ok=False,
        max_abs_error=None,
        milliseconds=None,
        problem=ending,
    )


def _ending(code: int | None, limit_seconds: float, last_words: str) -> str:
    if code is None:
        return f"it did not end within {limit_seconds:g} s and was stopped"
    if code == 0:
        return ""
    last = next(reversed(last_words.strip().splitlines()), "")[:300]
    how = f"its process died of signal {-code}" if code < 0 else f"its process ended with code {code}"
    return f"{how}: {last}" if last else how


def _parsed(line: str) -> dict[str, Any]:
    """The object in a line; nothing when it is something else, such as a library's chatter or a line cut short."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}
