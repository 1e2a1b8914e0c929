"""How often every fault happens, and the seed of each run: fixed, so that a run can be repeated by the id of its test.

VOXMATRIX_FAULT_RUNS=1 VOXMATRIX_FAULT_SEED=17 pytest tests/work/cluster/faults      # only those with seed 17

One seed shows what a change breaks outright; `./run faults` looks for what only one run in twenty shows.
"""

import os

RUNS = int(os.environ.get("VOXMATRIX_FAULT_RUNS", "1"))
_FIRST = int(os.environ.get("VOXMATRIX_FAULT_SEED", "1"))
SEEDS = range(_FIRST, _FIRST + RUNS)
