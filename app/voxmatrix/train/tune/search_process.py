"""Run one search for the largest batch in child processes, and continue when one hangs or dies."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from voxmatrix.compute.child import ChildResult, json_objects, run_child
from voxmatrix.train.tune.batch_search import SearchBounds, TriedBatch
from voxmatrix.train.tune.trial import TrialJob

#: Run by name, not imported: entrypoint is a layer above.
CHILD = ("-m", "voxmatrix_entrypoint.child", "voxmatrix.train.tune.child")
#: Starting CUDA from a cold disk takes a minute.
START_SECONDS = 120.0
#: When a child hangs or dies, another continues below that size; at most this many in all.
_MAX_CHILDREN = 3
#: The exit code of a process that Linux killed for lack of memory.
_KILLED = -9

OnTried = Callable[[TriedBatch], None]
OnTooLarge = Callable[[int, str], None]


@dataclass(kw_only=True)
class SearchProcess:
    """A search and its results. `ended`: why it stopped; `problem`: why it failed; one of them is empty."""

    job: TrialJob
    bounds: SearchBounds
    tried: list[TriedBatch] = field(default_factory=list)
    too_large: int = 0  # the smallest size that did not fit; 0: unknown
    ended: str = ""
    problem: str = ""

    def run(self, environment: dict[str, str], on_tried: OnTried, on_too_large: OnTooLarge) -> None:
        """Search to the end, or until no child can continue."""
        deadline = time.monotonic() + self.bounds.limit_seconds + START_SECONDS
        for _ in range(_MAX_CHILDREN):
            output = _ChildOutput(self, on_tried, on_too_large)
            result = run_child(
                [*CHILD, json.dumps(self._request())],
                environment,
                max(1.0, deadline - time.monotonic()),
                on_line=output.line,
                silence_seconds=self.bounds.size_seconds + START_SECONDS,
            )
            failure = _failure(result, output)
            if not failure:
                return
            if output.started is None:
                self.problem = failure
                return
            # The size does not fit, whatever the reason: a training would fail in the same way.
            self.too_large, self.problem = output.started, f"batch {output.started}: {failure}"
            on_too_large(output.started, failure)
            fits = max((tried.batch_size for tried in self.tried), default=0)
            if fits == 0 or self.bounds.never_exceed or time.monotonic() > deadline:
                return  # where the device uses main memory, do not risk to exhaust it again

    def _request(self) -> dict[str, Any]:
        return {
            "job": asdict(self.job),
            "bounds": asdict(self.bounds),
            "tried": [asdict(tried) for tried in self.tried],
            "too_large": self.too_large,
        }


class _ChildOutput:
    """Handle the output of a child, line by line."""

    def __init__(self, search: SearchProcess, on_tried: OnTried, on_too_large: OnTooLarge) -> None:
        self._search = search
        self._on_tried = on_tried
        self._on_too_large = on_too_large
        self.started: int | None = None  # the size being measured
        self.finished = False
        self.problem = ""

    def line(self, line: str) -> None:
        """Handle one line; output of libraries is ignored."""
        for row in json_objects(line):
            if "started" in row:
                self.started = row["started"]
            elif "tried" in row:
                self.started, tried = None, TriedBatch(**row["tried"])
                self._search.tried.append(tried)
                self._on_tried(tried)
            elif "too_large" in row:
                self.started, self._search.too_large = None, row["too_large"]
                self._on_too_large(row["too_large"], "out of memory")
            elif "ended" in row:
                self.finished, self._search.ended, self._search.problem = True, row["ended"], ""
            elif "problem" in row:
                self.problem = row["problem"]


def _failure(result: ChildResult, output: _ChildOutput) -> str:
    """Why a child did not finish its search; empty if it did."""
    if output.finished:
        return ""
    if output.problem:  # the process was given up: after such an error, CUDA may be unusable in it
        return output.problem
    if result.code == _KILLED:
        return "the system killed it, probably for lack of memory"
    return result.failure or "it ended without a message"
