"""Every described computer of tests/machines can be read, and its cards are what their names say."""

import json
from pathlib import Path

import pytest

from voxmatrix.machine.record import machine_to_json, read_machine
from voxmatrix.tables.gpus import architecture

MACHINES = sorted((Path(__file__).parent.parent / "machines").glob("*.json"))


def test_there_are_enough_of_them() -> None:
    assert len(MACHINES) >= 40


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_it_is_read_and_says_the_same_again(path: Path) -> None:
    machine = read_machine(path)
    again = machine_to_json(machine)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert {key: again[key] for key in written if key not in ("gpus", "torch")} == {
        key: value for key, value in written.items() if key not in ("gpus", "torch")
    }
    assert len(machine.gpus) == len(written["gpus"])


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_its_cards_have_an_architecture_unless_nobody_knows_them(path: Path) -> None:
    for gpu in read_machine(path).gpus:
        if gpu.capability is not None and path.stem != "sm-130":
            assert architecture(gpu.capability) is not None
