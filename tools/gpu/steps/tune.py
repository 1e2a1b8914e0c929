"""`train --tune`: what fits, and what is fastest."""

from typing import Any

from tools.gpu.check import Check
from tools.gpu.programs import run


def measure(check: Check) -> dict[str, Any]:
    """Its report."""
    if check.cpu:
        return {}
    done = run([*check.command("run-tune"), "--tune", "--max-steps", "1"], 110)
    return {**done.about(), "report": [line for line in (done.out + done.err).splitlines() if "MiB" in line][-16:]}
