"""The check on a GPU, rehearsed on the CPU."""

import json
import sys
import time
from pathlib import Path

import psutil
import pytest

from tools.gpu import summary
from tools.gpu.check import Check
from tools.gpu.measuring import kernel_figures
from tools.gpu.programs import run
from tools.gpu.running import STEPS, Running, Step


def _kernel(start: float, duration: float, name: str = "k", kind: str = "kernel") -> dict[str, object]:
    return {"ph": "X", "cat": kind, "ts": start, "dur": duration, "name": name}


def test_a_rehearsal_trains_on_recordings_of_its_own(tmp_path: Path) -> None:
    check = Check(work=tmp_path / "work", out=tmp_path / "out", cpu=True)
    check.work.mkdir()
    check.out.mkdir()
    results = Running(check, 300).all(["recordings", "training", "memory"])
    assert results["recordings"]["clips"] == 24
    assert results["training"]["steps_per_second"] > 0
    assert json.loads((check.out / "results.json").read_text()) == results
    assert "training, clips per second" in summary.table(results)


def test_a_step_that_fails_or_finds_no_time_loses_only_itself(tmp_path: Path) -> None:
    check = Check(work=tmp_path, out=tmp_path, cpu=True)
    failed = Running(check, 300).all(["speech"])  # no step has trained a voice
    assert "run the steps train_command or resume first" in failed["speech"]["failed"]["stderr"]
    assert "failed: speech" in summary.table(failed)
    assert Running(check, 1).all(["computer"]) == {"computer": {"skipped": "no time left"}}


def test_each_step_is_a_module_with_a_limit() -> None:
    folder = Path(sys.modules["tools.gpu"].__path__[0]) / "steps"
    assert {step.name for step in STEPS} == {path.stem for path in folder.glob("[a-z]*.py")}
    assert all(isinstance(step, Step) and step.seconds > 0 for step in STEPS)


def test_a_program_that_is_late_is_killed_with_its_children(tmp_path: Path) -> None:
    child = tmp_path / "child"
    code = (
        "import pathlib, subprocess, sys, time;"
        f"pathlib.Path({str(child)!r}).write_text(str(subprocess.Popen(['sleep', '600'], start_new_session=True).pid));"
        "time.sleep(600)"
    )
    done = run([sys.executable, "-c", code], 3)
    assert done.code is None
    until = time.monotonic() + 10
    while psutil.pid_exists(int(child.read_text())) and time.monotonic() < until:
        time.sleep(0.05)
    assert not psutil.pid_exists(int(child.read_text()))


@pytest.mark.parametrize(
    ("events", "share"),
    [
        ([_kernel(0, 10), _kernel(10, 10)], 1.0),
        ([_kernel(0, 10), _kernel(30, 10)], 0.5),
        ([_kernel(0, 40), _kernel(10, 10), _kernel(90, 10)], 0.5),
        ([_kernel(0, 10), _kernel(10, 30, kind="gpu_memcpy"), _kernel(90, 10)], 0.5),
    ],
)
def test_share_of_the_time_with_a_kernel(events: list[dict[str, object]], share: float) -> None:
    assert kernel_figures({"traceEvents": events})["gpu_busy_share"] == share


def test_kernels_are_counted_by_name() -> None:
    events = [_kernel(0, 4, "a"), _kernel(4, 4, "a"), _kernel(8, 7, "b"), _kernel(0, 99, "host", "cpu_op")]
    found = kernel_figures({"traceEvents": events})
    assert found["kernel_launches"] == 3
    assert found["kernels_below_5_us"] == 2
    assert found["largest"][0] == {"name": "a", "ms": 0.008, "count": 2}
    assert kernel_figures({"traceEvents": events[3:]}) == {}


def test_the_table_compares_with_piper() -> None:
    results = {"training": {"clips_per_second": 1000.0}, "piper": {"default": {"clips_per_second": 200.0}}}
    assert summary.figures(results)["training, times Piper's default"] == 5.0
    assert "training, times Piper's best" not in summary.figures(results)
