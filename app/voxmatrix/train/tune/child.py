"""The child of --tune, started by `voxmatrix_entrypoint.child`: prints JSON lines.

A line is written before a size and one after it: if this process hangs or dies, only the size in hand is lost.
"""

import json
import os
import sys
from dataclasses import asdict

from voxmatrix.compute.child import print_json
from voxmatrix.compute.memory import free_cached, is_out_of_memory
from voxmatrix.errors import VoxmatrixError
from voxmatrix.train.tune.batch_search import BatchSearch, SearchBounds, TriedBatch
from voxmatrix.train.tune.trial import Trial, open_trial
from voxmatrix.train.tune.trial_config import TrialJob

_MOST_LETTERS = 300


def main(asked: str) -> None:
    """Measure one size after the other."""
    parent = os.getppid()
    try:
        plain = json.loads(asked)
        trial = open_trial(TrialJob(**plain["job"]))
        search = BatchSearch(
            measure=lambda size: _one_size(trial, size, parent),
            bounds=SearchBounds(**plain["bounds"]),
            tried=[TriedBatch(**each) for each in plain["tried"]],
            too_large=plain["too_large"],
        )
        print_json({"ended": search.run()})
    except Exception as error:  # whatever torch and drivers raise: it is what is being found out
        text = str(error) if isinstance(error, VoxmatrixError) else f"{type(error).__name__}: {error}"
        print_json({"problem": "; ".join(text.splitlines())[:_MOST_LETTERS]})


def _one_size(trial: Trial, size: int, parent: int) -> TriedBatch | None:
    """Measure this size, and say how it went."""
    if os.getppid() != parent:  # it was killed: nobody reads this any more, and the device is wanted for other work
        sys.exit(1)
    print_json({"started": size})
    tried = None
    try:
        tried = trial.measure(size)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
    if tried is None:  # behind the except block: the error held the tensors that filled the memory
        trial.recover()
        free_cached(trial.device)
    print_json({"too_large": size} if tried is None else {"tried": asdict(tried)})
    return tried


if __name__ == "__main__":
    main(sys.argv[1])
