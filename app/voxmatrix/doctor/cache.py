"""A cache of passed smoke tests by image, torch, GPU and driver, so that the next start does not wait for one."""

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
