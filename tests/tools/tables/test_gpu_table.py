"""docs/gpus.md and the table in docs/images.md are what the tables and the described computers say."""

import pytest

from tools.tables import described, gpu_classes, gpu_table
from tools.tables.written_part import PAGE
from voxmatrix.machine.record import read_machine


def test_a_table_that_was_changed_by_hand_is_written_anew() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert gpu_classes.with_table(text.replace("| native |", "| perhaps |")) == text


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="do not edit"):
        gpu_classes.with_table("# voxmatrix\n")


def test_the_short_table_is_short_and_knows_every_capability() -> None:
    rows = [line.split(" | ") for line in gpu_classes.table().splitlines() if line.startswith("| ")][2:]
    assert len(rows) <= 15
    there = {gpu.capability for path in described.MACHINES.glob("*.json") for gpu in read_machine(path).gpus}
    said = {capability for row in rows for capability in row[1].split(", ")} - {"–"}
    assert said == {str(capability) for capability in there if capability}


def test_there_are_forty_computers_and_more() -> None:
    assert len(list(described.MACHINES.glob("*.json"))) >= 40


def test_the_page_says_what_was_run_and_what_is_only_derived() -> None:
    cells = (line.strip("| \n").split(" | ") for line in gpu_table.page().splitlines() if line.startswith("| "))
    ran = {(row[0], row[1]): row[-1] for row in cells}
    assert ran["rtx-5090", "NVIDIA GeForce RTX 5090"] == "image"
    assert ran["no-gpu", "none"] == "all"
    assert ran["thor", "NVIDIA Thor"] == "nothing", "cuda13 was never built for aarch64"
    assert ran["amd-windows", "AMD Radeon RX 7900 XTX"] == "nothing", "directml-windows was never run"
