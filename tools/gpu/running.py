"""Run the steps of the check, each in a process with a time limit."""

import json
import sys
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from tools.gpu.check import ROOT, Check
from tools.gpu.programs import run

#: With less time left, a step is not started.
_MIN_SECONDS = 12.0


class Step(NamedTuple):
    """A module of tools/gpu/steps."""

    name: str
    seconds: float  # at most


#: In the order of their value: if the time is over, the last ones are left out.
STEPS = (
    Step("computer", 40),
    Step("recordings", 60),
    Step("training", 90),
    Step("variants", 90),
    Step("piper", 240),
    Step("product", 110),
    Step("gpu_tests", 110),
    Step("memory", 90),
    Step("train_command", 120),
    Step("speech", 110),
    Step("server", 75),
    Step("out_of_memory", 110),
    Step("resume", 120),
    Step("cluster", 110),
    Step("distil", 100),
    Step("tune", 120),
)


class Running:
    """The steps and their results, which are written after each."""

    def __init__(self, check: Check, seconds: float) -> None:
        self._check, self._seconds = check, seconds
        self._began = time.monotonic()
        self._results: dict[str, Any] = {}

    def all(self, names: Iterable[str]) -> dict[str, Any]:
        """Run the steps of these names."""
        chosen = set(names)
        for step in STEPS:
            if step.name in chosen:
                self._run(step)
        return self._results

    def _run(self, step: Step) -> None:
        left = self._seconds - (time.monotonic() - self._began)
        if left < _MIN_SECONDS:
            self._keep(step.name, {"skipped": "no time left"})
            return
        check = self._check
        command = [sys.executable, "-m", "tools.gpu", "--only", step.name]
        command += ["--work", str(check.work), "--out", str(check.out), *(["--cpu"] if check.cpu else [])]
        command += ["--voice", str(check.given)] if check.given else []
        limit = left if check.cpu else min(step.seconds, left)
        done = run(command, limit, cwd=ROOT)
        result = done.json if done.code == 0 else None
        if result is None:
            result = {"failed": done.about(2000)}
        self._keep(step.name, {"step_seconds": done.seconds, **result})

    def _keep(self, name: str, result: dict[str, Any]) -> None:
        self._results[name] = result
        path = self._check.out / "results.json"
        path.write_text(json.dumps(self._results, indent=1) + "\n", encoding="utf-8")
        outcome = "skipped" if "skipped" in result else "FAILED" if "failed" in result else "done"
        print(f"[{time.monotonic() - self._began:5.0f} s] {name}: {outcome}", flush=True)
