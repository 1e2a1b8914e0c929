"""How often every fault happens, and the seed of each run: fixed, so that a run can be repeated by the id of its test.

VOXMATRIX_FAULT_RUNS=1 VOXMATRIX_FAULT_SEED=17 pytest tests/work/cluster/faults      # only those with seed 17
"""

import os

RUNS = int(os.environ.get("VOXMATRIX_FAULT_RUNS", "5"))
_FIRST = int(os.environ.get("VOXMATRIX_FAULT_SEED", "1"))
SEEDS = range(_FIRST, _FIRST + RUNS)
#: For what takes a minute.
LONG_SEEDS = SEEDS if "VOXMATRIX_FAULT_RUNS" in os.environ else SEEDS[:1]
