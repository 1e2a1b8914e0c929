"""Another process holds the GPU's memory: a batch too large for the rest, then too little for anything."""

import shutil
import sys
from typing import Any

from tools.gpu.check import Check
from tools.gpu.programs import kill, run, start

_HOLD = """
import sys, time, torch
free, _ = torch.cuda.mem_get_info()
held = torch.empty(free - int(sys.argv[1]) * 2**20, dtype=torch.uint8, device="cuda")
print("held", flush=True)
time.sleep(300)
"""
#: Free MiB, and the clips of a batch.
_CASES = ((6144, 96), (1228, 32), (512, 32))


def measure(check: Check) -> dict[str, Any]:
    """Train beside it."""
    found: dict[str, Any] = {}
    for free, clips in () if check.cpu else _CASES:
        holder = start([sys.executable, "-c", _HOLD, str(free)])
        assert holder.stdout is not None
        holder.stdout.readline()
        out = check.work / f"run-{free}"
        shutil.rmtree(out, ignore_errors=True)
        limits = ["--batch-size", str(clips), "--accumulation", "1", "--max-steps", "4", "--validate-every", "1000"]
        done = run([*check.command(out.name), *limits], 60)
        kill(holder)
        holder.wait()
        found[f"{free} MiB free, {clips} clips"] = done.about(1800)
    return found
