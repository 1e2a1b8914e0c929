"""The smoke test on the CPU: green as it is; broken, hanging and dying operations are named."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from voxmatrix.doctor.child import OPERATIONS
from voxmatrix.doctor.smoke import OperationResult, SmokeResult, cached_smoke, read_lines, run_smoke
from voxmatrix.machine.facts import Gpu, Machine, TorchBuild

pytestmark = pytest.mark.usefixtures("forked_programs")


def test_every_operation_passes_on_the_cpu_in_both_precisions() -> None:
    smoke = run_smoke(None, ("float32", "bfloat16"))

    assert smoke.ok, [result for result in smoke.results if not result.ok]
    named = {(result.op, result.dtype) for result in smoke.results}
    assert named == {(each.name, "float32") for each in OPERATIONS} | {
        (each.name, "bfloat16") for each in OPERATIONS if not each.is_float32_only
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


GPU = Gpu(index=0, kind="cuda", uuid="GPU-1", driver="570.86.10")
MACHINE = Machine(platform="linux", cpus=8, gpus=(GPU,), torch=TorchBuild(version="2.10.0+cu128"))
ROW = OperationResult(gpu=0, op="matmul", dtype="float32", ok=True, max_abs_error=0.0, milliseconds=1.0)
GOOD = SmokeResult(results=(ROW,), flash=(True, "ran"))
BAD = SmokeResult(results=(replace(ROW, ok=False),))


def runs(folder: Path, machine: Machine = MACHINE, gpu: Gpu = GPU, smoke: SmokeResult = GOOD) -> bool:
    ran = []
    answer = cached_smoke(folder, machine, gpu, ("float32",), lambda: ran.append(1) or smoke)  # type: ignore[func-returns-value]
    assert answer == smoke
    return bool(ran)


def test_what_passed_is_remembered_until_driver_or_torch_change(tmp_path: Path) -> None:
    assert runs(tmp_path)
    assert not runs(tmp_path)
    assert runs(tmp_path, gpu=replace(GPU, driver="580.1"))
    assert runs(tmp_path, machine=replace(MACHINE, torch=TorchBuild(version="2.11.0")))


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    assert runs(tmp_path, smoke=BAD)
    assert runs(tmp_path, smoke=BAD)


def test_a_damaged_file_is_written_anew(tmp_path: Path) -> None:
    assert runs(tmp_path)
    for content in ("", "[]", "{}", '{"flash": 1, "results": [{}]}', '{"flash": null, "results": []}'):
        next(tmp_path.rglob("*.json")).write_text(content, encoding="utf-8")
        assert runs(tmp_path), content


def test_a_place_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "smoke").write_text("a file where a folder should be", encoding="utf-8")
    assert runs(tmp_path)
