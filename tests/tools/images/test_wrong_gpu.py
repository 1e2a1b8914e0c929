"""Every tested image has a computer that it cannot serve, and the rules name the image that can."""

import json
from pathlib import Path

import pytest

from tools.images import rows
from tools.images.wrong_gpu import MACHINES, WRONG, with_gpu
from voxmatrix.machine.record import read_machine
from voxmatrix.plan.verdict import assess

TESTED = [row for row in rows.rows().values() if row.status == "tested"]


def test_there_is_one_for_every_image_that_is_tested() -> None:
    assert set(WRONG) == {row.name for row in TESTED}


@pytest.mark.parametrize("row", TESTED, ids=lambda row: row.name)
def test_the_image_has_no_kernels_for_it_and_the_other_image_has(row: rows.Row, tmp_path: Path) -> None:
    computer, instead = WRONG[row.name]
    recorded = json.loads((MACHINES / "no-gpu.json").read_text(encoding="utf-8"))
    kernels = list(row.kernels_on("linux/amd64"))
    torch = {"version": f"{row.torch}+{row.torch_local}", "cuda": row.cuda or None, "kernels": kernels}
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({**with_gpu(recorded, computer), "torch": torch, "image": row.name}), encoding="utf-8")
    machine = read_machine(path)
    assessment = assess(machine.gpus[0], machine)
    assert assessment.verdict == "unsupported"
    assert f"use the image {instead} " in assessment.remedy
