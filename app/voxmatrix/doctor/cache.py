"""Smoke tests that passed are remembered by image, torch, GPU and driver: the next start need not wait for one."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import voxmatrix
from voxmatrix.doctor.smoke import OperationResult, SmokeResult
from voxmatrix.errors import UnreachableError
from voxmatrix.files import write_text
from voxmatrix.machine.facts import Gpu, Machine


def saved_device(
    folder: Path, machine: Machine, gpu: Gpu | None, dtypes: Sequence[str], run: Callable[[], SmokeResult]
) -> SmokeResult:
    """The result of `run`, or the one of an earlier run on the same. Only what passed is kept."""
    path = folder / "smoke" / f"{_key(machine, gpu, dtypes)}.json"
    kept = _read(path)
    if kept is not None:
        return kept
    smoke = run()
    if smoke.ok:
        try:
            write_text(path, json.dumps(asdict(smoke)))
        except (UnreachableError, OSError):
            return smoke  # it only costs time on the next start
    return smoke


def _key(machine: Machine, gpu: Gpu | None, dtypes: Sequence[str]) -> str:
    device = [machine.cpu] if gpu is None else [gpu.kind, gpu.index, gpu.uuid, gpu.name, gpu.driver]
    torch = machine.torch.version if machine.torch else None
    facts = [voxmatrix.__version__, machine.image, torch, machine.flash_attention, *device, *dtypes]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


def _read(path: Path) -> SmokeResult | None:
    """What was kept, or None when there is nothing that can be understood."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        flash = kept["flash"] and (bool(kept["flash"][0]), str(kept["flash"][1]))
        smoke = SmokeResult(results=tuple(OperationResult(**row) for row in kept["results"]), flash=flash)
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return None
    return smoke if smoke.ok else None
