"""The child process of --tune, started by `voxmatrix_entrypoint.child`: prints JSON lines.

It prints a line before and after each size; if it hangs or dies, only the current size is lost.
"""

import json
import os
import sys
from dataclasses import asdict

from voxmatrix.compute.child import send_json
from voxmatrix.compute.memory import free_cached, is_out_of_memory
from voxmatrix.errors import VoxmatrixError
from voxmatrix.train.tune.batch_search import BatchSearch, SearchBounds, TriedBatch
from voxmatrix.train.tune.trial import Trial, TrialJob, open_trial

_MAX_CHARACTERS = 300


def main(request: str) -> None:
    """Run the search that the JSON `request` describes."""
    parent = os.getppid()
    try:
        plain = json.loads(request)
        trial = open_trial(TrialJob(**plain["job"]))
        search = BatchSearch(
            measure=lambda size: _measure(trial, size, parent),
            bounds=SearchBounds(**plain["bounds"]),
            tried=[TriedBatch(**tried) for tried in plain["tried"]],
            too_large=plain["too_large"],
        )
        send_json({"ended": search.run()})
    except Exception as error:  # any error of torch or a driver is a result of the measurement
        text = f"{type(error).__name__}: {error}"
        if isinstance(error, VoxmatrixError):
            text = f"{error.problem}\n{error.remedy}"
        send_json({"problem": "; ".join(text.splitlines())[:_MAX_CHARACTERS]})


def _measure(trial: Trial, size: int, parent: int) -> TriedBatch | None:
    """Measure one size and print the result."""
    if os.getppid() != parent:  # the parent was killed: free the device
        sys.exit(1)
    send_json({"started": size})
    tried = None
    try:
        tried = trial.measure(size)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
    if tried is None:  # after the except block, because the error holds references to the tensors in memory
        trial.recover()
        free_cached(trial.device)
    send_json({"too_large": size} if tried is None else {"tried": asdict(tried)})
    return tried


if __name__ == "__main__":
    main(sys.argv[1])
