"""What the program says about this computer, and the check that an image makes before it trains."""

from typing import Any

from tools.gpu.check import ROOT, VOXMATRIX, Check
from tools.gpu.programs import run


def measure(check: Check) -> dict[str, Any]:
    """The reports of `doctor`, `devices` and `plan`, and a training as in an image."""
    found: dict[str, Any] = {}
    for name in ("doctor", "devices", "plan"):
        done = run([*VOXMATRIX, name, "--json"], 120)
        found[name] = {**done.about(), "json": done.json}
    if check.cpu:
        return found
    described = run([*VOXMATRIX, "plan", "--machine", str(ROOT / "tests/machines/h100.json"), "--json"], 60).json
    here = found["plan"]["json"]
    if described and here:
        pairs = {name: [row["value"], described["settings"][name]["value"]] for name, row in here["settings"].items()}
        found["other_than_the_described_h100"] = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    done = run([*VOXMATRIX, "bench", "matmul", "--device", check.device, "--json"], 90)
    found["bench_matmul"] = {**done.about(), "json": done.json}
    few = [*check.command("run-image"), "--max-steps", "2", "--quality", "tiny"]
    found["train_as_in_an_image"] = run(few, 120, env={"VOXMATRIX_IMAGE": "cuda13"}).about(1200)
    return found
