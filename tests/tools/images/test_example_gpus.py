"""Every image with a torch for Linux has a computer that it can use and one that it cannot, without a list by hand."""

import json
from pathlib import Path

import pytest

from tools.images import rows
from tools.images.example_gpus import MACHINES, unusable, usable, with_gpu
from voxmatrix.machine.record import read_machine
from voxmatrix.plan.verdict import assess

TESTED = [row for row in rows.rows().values() if row.status == "tested"]


def described(row: rows.Row, computer: str, folder: Path) -> Path:
    recorded = json.loads((MACHINES / "no-gpu.json").read_text(encoding="utf-8"))
    kernels = list(row.kernels_on("linux/amd64"))
    torch = {"version": f"{row.torch}+{row.torch_local}", "cuda": row.cuda or None, "kernels": kernels}
    path = folder / "machine.json"
    path.write_text(json.dumps({**with_gpu(recorded, computer), "torch": torch, "image": row.name}), encoding="utf-8")
    return path


@pytest.mark.parametrize("row", TESTED, ids=lambda row: row.name)
def test_the_image_has_no_kernels_for_it_and_the_other_image_has(row: rows.Row, tmp_path: Path) -> None:
    computer, instead = unusable(row)
    machine = read_machine(described(row, computer, tmp_path))
    assessment = assess(machine.gpus[0], machine)
    assert assessment.verdict == "unsupported"
    assert f"use the image {instead} " in assessment.remedy


@pytest.mark.parametrize("row", [row for row in TESTED if row.cuda], ids=lambda row: row.name)
def test_the_image_is_the_one_for_its_example(row: rows.Row, tmp_path: Path) -> None:
    machine = read_machine(described(row, usable(row), tmp_path))
    assert assess(machine.gpus[0], machine).verdict == "native"


def test_an_image_that_no_computer_can_use_has_no_example() -> None:
    with pytest.raises(LookupError, match="cpu"):
        usable(rows.rows()["cpu"])
