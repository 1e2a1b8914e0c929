"""Breaks what a child process computes. Python imports it as it starts: this folder is in the child's PYTHONPATH.

VOXMATRIX_TEST_BROKEN=conv1d=hang breaks an operation of the smoke test, fp32=die a number format of `bench matmul`,
4=memory the batches of `--tune` from 4 clips on. Behind the second = stands how: hang, die, memory, raise, and for an
operation also wrong and nan.
"""

import math
import os
import time
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

from wrapt import when_imported

NAME, _, HOW = os.environ["VOXMATRIX_TEST_BROKEN"].partition("=")


def break_down(*_: object) -> Any:
    if HOW == "hang":
        while True:
            time.sleep(3600)
    if HOW == "die":
        os.abort()
    raise MemoryError("broken by a test") if HOW == "memory" else RuntimeError("broken by a test")


@when_imported("voxmatrix.doctor.operations")
def break_an_operation(operations: ModuleType) -> None:
    operations.OPERATIONS = tuple(  # type: ignore[attr-defined]
        replace(each, run=broken(each.run)) if each.name == NAME else each for each in operations.OPERATIONS
    )


def broken(run: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
    def broken_run(sample: Any) -> tuple[Any, ...]:
        if HOW not in ("wrong", "nan"):
            break_down()
        *results, last = run(sample)  # the last is a gradient, where there are any
        right = str(last.dtype) == "torch.float64"  # what it is compared with
        return *results, last if right else last * (math.nan if HOW == "nan" else 2.0)

    return broken_run


@when_imported("voxmatrix.bench.matmul")
def break_a_format(matmul: ModuleType) -> None:
    parts = matmul.parts

    def broken_parts(*given: Any) -> list[Any]:
        return [replace(part, measure=break_down) if part.name == NAME else part for part in parts(*given)]

    matmul.parts = broken_parts  # type: ignore[attr-defined]


@when_imported("voxmatrix.train.tune.trial")
def break_batches(trial: ModuleType) -> None:
    measure = trial.Trial.measure

    def broken_measure(self: Any, size: int) -> Any:
        return break_down() if size >= int(NAME) else measure(self, size)

    trial.Trial.measure = broken_measure
