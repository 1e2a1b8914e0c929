"""The tests of the project that need a GPU."""

import sys
from typing import Any

from tools.gpu.check import ROOT, Check
from tools.gpu.programs import run


def measure(check: Check) -> dict[str, Any]:
    """Run them; on a CPU they are skipped. The output is in gpu_tests.log."""
    marked = [path for path in (ROOT / "tests").rglob("test_*.py") if "mark.gpu" in path.read_text(encoding="utf-8")]
    command = [sys.executable, "-m", "pytest", "-m", "gpu", "-q", "-rA", *sorted(map(str, marked))]
    done = run(command, 150, cwd=ROOT, env={"VOXMATRIX_REQUIRE": "" if check.cpu else "gpu"})
    (check.out / "gpu_tests.log").write_text(done.out + done.err, encoding="utf-8")
    return {**done.about(), "stdout": done.out[-2500:]}
