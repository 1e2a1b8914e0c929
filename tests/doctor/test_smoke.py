"""The smoke test on the CPU: green as it is; broken, hanging and dying operations are named."""

from collections.abc import Callable

import pytest

from voxmatrix.doctor.child import OPERATIONS
from voxmatrix.doctor.smoke import read_lines, run_smoke


def test_every_operation_passes_on_the_cpu_in_both_precisions() -> None:
    smoke = run_smoke(None, ("float32", "bfloat16"))

    assert smoke.ok, [result for result in smoke.results if not result.ok]
    named = {(result.op, result.dtype) for result in smoke.results}
    assert named == {(each.name, "float32") for each in OPERATIONS} | {
        (each.name, "bfloat16") for each in OPERATIONS if not each.spectral
    }
    assert smoke.flash is not None


@pytest.mark.parametrize("how", ["wrong", "nan", "raise"])
def test_a_broken_operation_is_named_and_the_others_go_on(how: str, break_children: Callable[[str], None]) -> None:
    break_children(f"conv1d={how}")
    smoke = run_smoke(None)
    assert [result.op for result in smoke.results if not result.ok] == ["conv1d"]
    assert len(smoke.results) == len(OPERATIONS)


@pytest.mark.parametrize(("how", "limit", "word"), [("hang", 8.0, "8 s"), ("die", 120.0, "SIGABRT")])
def test_a_child_that_hangs_or_dies_is_ended_and_its_operation_named(
    how: str, limit: float, word: str, break_children: Callable[[str], None]
) -> None:
    break_children(f"fill/add={how}")
    last = run_smoke(None, limit_seconds=limit).results[-1]
    assert not last.ok
    assert last.op in ("fill/add", "import torch")
    assert word in last.problem


def test_chatter_and_lines_cut_short_are_no_results() -> None:
    said = '[W123] hello\n{"started": "matmul", "dtype": "float32"}\n{"op": "mat'
    smoke = read_lines(said, 1, "its process was terminated by SIGSEGV")
    assert [(result.gpu, result.op, result.ok) for result in smoke.results] == [(1, "matmul", False)]


def test_flash_attn_that_dies_costs_only_itself() -> None:
    row = '{"op": "matmul", "dtype": "float32", "ok": true, "max_abs_error": 0.0, "milliseconds": 1.0}'
    smoke = read_lines(f'{row}\n{{"started": "flash-attn", "dtype": "float32"}}\n', 0, "it died")
    assert smoke.ok
    assert smoke.flash == (False, "it died")
