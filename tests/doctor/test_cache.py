"""A smoke test that passed is not run again on the same; any other is."""

from dataclasses import replace
from pathlib import Path

from voxmatrix.doctor.cache import cached_smoke
from voxmatrix.doctor.smoke import OperationResult, SmokeResult
from voxmatrix.machine.facts import Gpu, Machine, TorchBuild

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
