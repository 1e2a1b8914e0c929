"""One search for the largest batch, in child processes: what they say, and what becomes of those that hang or die."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from voxmatrix.compute.child import ChildResult, json_objects, run_child
from voxmatrix.train.tune.batch_search import SearchBounds, TriedBatch
from voxmatrix.train.tune.trial_config import TrialJob

#: No import: entrypoint stands above us.
CHILD = ("-m", "voxmatrix_entrypoint.child", "voxmatrix.train.tune.child")
#: Starting CUDA on a cold disk takes a minute.
START_SECONDS = 120.0
#: After a child that hung or died another one goes on below that size, so often.
_MOST_CHILDREN = 3
#: How Linux ends a process when memory is out.
_KILLED = -9

OnTried = Callable[[TriedBatch], None]
OnTooLarge = Callable[[int, str], None]


@dataclass(kw_only=True)
class SearchProcess:
    """The sizes that could be computed, and how it ended: `ended` is why it measured no further, `problem` why it
    could not; one of them is "".
    """

    job: TrialJob
    bounds: SearchBounds
    tried: list[TriedBatch] = field(default_factory=list)
    too_large: int = 0  # the smallest that did not fit; 0: none
    ended: str = ""
    problem: str = ""

    def run(self, environment: dict[str, str], on_tried: OnTried, on_too_large: OnTooLarge) -> None:
        """Search to the end, or until nobody can."""
        until = time.monotonic() + self.bounds.limit_seconds + START_SECONDS
        for _ in range(_MOST_CHILDREN):
            heard = _Heard(self, on_tried, on_too_large)
            ended = run_child(
                [*CHILD, json.dumps(self._asked())],
                environment,
                max(1.0, until - time.monotonic()),
                on_line=heard.line,
                silence_seconds=self.bounds.size_seconds + START_SECONDS,
            )
            died_of = _died_of(ended, heard)
            if not died_of:
                return
            if heard.started is None:
                self.problem = died_of
                return
            # It counts as not fitting, whatever it was: a training would end like that.
            self.too_large, self.problem = heard.started, f"batch {heard.started}: {died_of}"
            on_too_large(heard.started, died_of)
            fits = max((each.batch_size for each in self.tried), default=0)
            if fits == 0 or self.bounds.careful or time.monotonic() > until:
                return  # where memory is the computer's, what was killed for it must not be tried again

    def _asked(self) -> dict[str, Any]:
        return {
            "job": asdict(self.job),
            "bounds": asdict(self.bounds),
            "tried": [asdict(each) for each in self.tried],
            "too_large": self.too_large,
        }


class _Heard:
    """What a child says, line by line."""

    def __init__(self, series: SearchProcess, on_tried: OnTried, on_too_large: OnTooLarge) -> None:
        self._series = series
        self._on_tried = on_tried
        self._on_too_large = on_too_large
        self.started: int | None = None  # and not ended
        self.last_word = False
        self.problem = ""

    def line(self, line: str) -> None:
        """One of them; a library's chatter is none."""
        for row in json_objects(line):
            if "started" in row:
                self.started = row["started"]
            elif "tried" in row:
                self.started, tried = None, TriedBatch(**row["tried"])
                self._series.tried.append(tried)
                self._on_tried(tried)
            elif "too_large" in row:
                self.started, self._series.too_large = None, row["too_large"]
                self._on_too_large(row["too_large"], "memory is out")
            elif "ended" in row:
                self.last_word, self._series.ended, self._series.problem = True, row["ended"], ""
            elif "problem" in row:
                self.problem = row["problem"]


def _died_of(ended: ChildResult, heard: _Heard) -> str:
    """Why a child could not end its search; "" where it did."""
    if heard.last_word:
        return ""
    if heard.problem:  # behind such an error a CUDA process may be worth nothing
        return heard.problem
    if ended.code == _KILLED:
        return "the system killed it, as it does when memory is out"
    return ended.failure or "it ended without a word"
