"""`distil` on the GPU, for some steps."""

from typing import Any

from tools.gpu.check import VOXMATRIX, Check
from tools.gpu.programs import run


def measure(check: Check) -> dict[str, Any]:
    """The time of the command, with its material."""
    steps = "2" if check.cpu else "400"
    options = ["--out", str(check.work / "fast.onnx"), "--device", check.device, "--steps", steps]
    done = run([*VOXMATRIX, "distil", str(check.voice()), *options, "--force", "--fresh"], 90)
    return {**done.about(900), "stdout": done.out[-900:]}
